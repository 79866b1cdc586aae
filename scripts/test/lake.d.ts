/** The folder with the parts of a lake; null, and the reason, where they cannot be installed. */
export function ensureLake(): Promise<{ readonly bin: string | null; readonly reason: string }>;
