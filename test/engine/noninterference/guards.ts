import type { Plan } from './cases.ts';

type Json = { [key: string]: unknown };
type Edit = (part: Json) => void;

/** The guards of a project, each with its removal. Without one of them, the search must find a leak. */
export const GUARDS: { readonly [guard: string]: (plan: Plan) => Plan } = {
  'the row rules of tables': inRules((rule) => void delete rule.rows),
  'the hidden columns of tables': inRules((rule) => void delete rule.hide),
  'the masked columns of tables': inRules((rule) => void delete rule.mask),
  'input policies': inEndpoints(({ policies }) => {
    (policies as Json).input = [];
  }),
  'masks of results': withoutAction('mask_fields'),
  'filters of results': withoutAction('filter_fields'),
  'filters of sensitive fields': withoutAction('filter_sensitive_fields'),
  'denials of results': withoutAction('deny'),
  scopes: inEndpoints((endpoint) => {
    endpoint.scopes = [];
  }),
  'rows of the caller in SQL': (plan) => replaced(plan, 'owner = get_user_email()', 'true'),
};

function inRules(edit: Edit): (plan: Plan) => Plan {
  return (plan) =>
    edited(plan, (path, file) => {
      if (path !== 'svc-site.yml') return;
      const { tables } = file.sql_tools as { tables: Json[] };
      for (const rule of tables) edit(rule);
    });
}

function inEndpoints(edit: Edit): (plan: Plan) => Plan {
  return (plan) =>
    edited(plan, (path, file) => {
      if (path !== 'svc-site.yml') for (const endpoint of Object.values(file)) edit(endpoint as Json);
    });
}

function withoutAction(action: string): (plan: Plan) => Plan {
  return inEndpoints(({ policies }) => {
    const rules = policies as { output?: Json[] };
    if (rules.output !== undefined) rules.output = rules.output.filter((rule) => rule.action !== action);
  });
}

function edited({ files, statements }: Plan, edit: (path: string, file: Json) => void): Plan {
  const changed = Object.entries(files).map(([path, text]): [string, string] => {
    const file: Json = JSON.parse(text);
    edit(path, file);
    return [path, JSON.stringify(file)];
  });
  return { files: Object.fromEntries(changed), statements };
}

function replaced({ files, statements }: Plan, part: string, other: string): Plan {
  const changed = Object.entries(files).map(([path, text]) => [path, text.replaceAll(part, other)]);
  return { files: Object.fromEntries(changed), statements };
}
