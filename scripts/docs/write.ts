import { writeFile } from 'node:fs/promises';
import { CONFIGURATION_PAGE, toConfigurationPage } from './configuration.ts';
import { ENDPOINTS_PAGE, toEndpointsPage } from './endpoints.ts';

const pages = { [CONFIGURATION_PAGE]: await toConfigurationPage(), [ENDPOINTS_PAGE]: toEndpointsPage() };
for (const [path, text] of Object.entries(pages)) {
  await writeFile(new URL(`../../${path}`, import.meta.url), text);
}
