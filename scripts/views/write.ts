import { writeFileSync } from 'node:fs';
import { toPageModule, VIEW_PAGE_FILE } from './page.ts';

/* Writes the page of views after a change of `views/`. A test compares it. */
writeFileSync(VIEW_PAGE_FILE, await toPageModule());
