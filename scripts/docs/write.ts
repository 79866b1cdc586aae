import { writeFile } from 'node:fs/promises';
import { COMMANDS } from '../../cli/table.ts';
import { API_PAGE, toApiPage } from './api.ts';
import { CLIENTS_PAGE, toClientsPage } from './clients.ts';
import { COMMANDS_PAGE, toCommandsPage } from './commands.ts';
import { CONFIGURATION_PAGE, toConfigurationPage } from './configuration.ts';
import { ENDPOINTS_PAGE, toEndpointsPage } from './endpoints.ts';
import { ERRORS_PAGE, toErrorsPage } from './errors.ts';

const pages = {
  [API_PAGE]: toApiPage(),
  [CLIENTS_PAGE]: toClientsPage(),
  [COMMANDS_PAGE]: toCommandsPage(COMMANDS),
  [CONFIGURATION_PAGE]: await toConfigurationPage(),
  [ENDPOINTS_PAGE]: toEndpointsPage(),
  [ERRORS_PAGE]: toErrorsPage(),
};
for (const [path, text] of Object.entries(pages)) {
  await writeFile(new URL(`../../${path}`, import.meta.url), text);
}
