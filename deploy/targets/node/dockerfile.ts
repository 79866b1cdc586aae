import { ARCHITECTURES, type Architecture } from '../../native/architecture.ts';

/** The user `node` of the image, as numbers: Kubernetes checks by number that a container does not run as root. */
const USER = '1000:1000';

/**
 * A container that runs as an unprivileged user, who owns the files, because a private database is readable by its owner
 * only. Its state, such as the audit file, is in /state.
 */
export function dockerfile(
  callers: string,
  files: readonly string[],
  folders: readonly string[] = [],
  arch: Architecture | null = null,
): string {
  const platform = arch === null ? '' : `--platform=${ARCHITECTURES[arch].docker} `;
  return `# Callers: ${callers}
FROM ${platform}node:24-slim
WORKDIR /app
COPY --chown=${USER} ${files.join(' ')} ./
${folders.map((folder) => `COPY --chown=${USER} ${folder} ./${folder}\n`).join('')}RUN mkdir /state && chown ${USER} /state
WORKDIR /state
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8000
USER ${USER}
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \\
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "/app/index.js"]
`;
}
