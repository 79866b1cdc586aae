import { writeFile } from 'node:fs/promises';
import { CONFIGURATION_PAGE, toConfigurationPage } from './configuration.ts';

await writeFile(new URL(`../../${CONFIGURATION_PAGE}`, import.meta.url), await toConfigurationPage());
