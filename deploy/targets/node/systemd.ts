import { type ProjectFacts, toDeploymentName } from '../target.ts';

/** A systemd unit: the service has a user of its own, can write only its state, and is given time to stop. */
export function systemdUnit({ project, callers }: Pick<ProjectFacts, 'project' | 'callers'>): string {
  const slug = toDeploymentName(project);
  return `# Callers: ${callers}
# Copy this folder to /opt/${slug}, then:
#   systemctl enable --now /opt/${slug}/${slug}.service
# The service has a user of its own. If the files are private, as after a build with umask 077 or from a private database,
# let every user of this machine read them:
#   chmod -R a+rX /opt/${slug}
[Unit]
Description=MCP server ${slug}
After=network-online.target
Wants=network-online.target
# A secret manager or a port may be missing for longer than systemd tries by default.
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=/usr/bin/env node /opt/${slug}/index.js
Environment=NODE_ENV=production HOST=127.0.0.1 PORT=8000
# Secrets and SVC_* variables, one NAME=value a line, readable by root only.
EnvironmentFile=-/etc/${slug}.env
# The audit file of a relative path is written here.
StateDirectory=${slug}
WorkingDirectory=/var/lib/${slug}
Restart=on-failure
RestartSec=5
# Running calls are answered within 15 seconds.
TimeoutStopSec=20

DynamicUser=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectControlGroups=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
PrivateTmp=yes
PrivateDevices=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
SystemCallArchitectures=native
UMask=0077

[Install]
WantedBy=multi-user.target
`;
}
