export function ensureBrowser(): Promise<{ readonly bin: string | null; readonly reason: string }>;
