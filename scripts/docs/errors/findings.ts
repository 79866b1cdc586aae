import type { Advice } from './codes.ts';

const advice = (why: string, fix: string): Advice => ({ why, fix });

/** Advice for the findings of every command that loads a project, by section of the page. */
export const FINDINGS: Readonly<Record<string, Readonly<Record<string, Advice>>>> = {
  'Files and YAML': {
    'site-missing': advice(
      'The folder has no `svc-site.yml`.',
      'Run `svc init`, or change to the project folder.',
    ),
    'folder-empty': advice(
      'A folder of `paths` does not exist or has no endpoint file, or endpoint files are in a folder such as `tool` in place of `tools`.',
      'Correct the path, or rename the folder.',
    ),
    'file-unreadable': advice(
      'A file cannot be read because of its permissions, a broken link, or a link out of the project.',
      'Correct the cause that the message names.',
    ),
    'file-size': advice('A file exceeds the maximum size of its kind.', 'Split it.'),
    'file-empty': advice('A file is empty.', 'Fill it, or delete it.'),
    encoding: advice('A file is not UTF-8 (or UTF-16 with a byte order mark).', 'Save it as UTF-8.'),
    'control-character': advice(
      'A file contains a character that YAML does not allow.',
      'Delete the character at the given place.',
    ),
    'yaml-syntax': advice(
      'The text from this place on is not valid YAML.',
      'Check quotes, brackets and indentation there.',
    ),
    'yaml-documents': advice('A file contains several documents.', 'Make one file per document.'),
    'yaml-depth': advice('Values are nested too deeply.', 'Flatten them.'),
    'yaml-size': advice('Aliases expand to too many values.', 'Use fewer aliases.'),
    'yaml-alias': advice('An alias has no anchor.', 'Define its anchor before the alias.'),
    'yaml-cycle': advice('An alias refers to a value that contains the alias.', 'Write out the value.'),
    'yaml-tag': advice('A value has a tag such as `!!binary` or `!!timestamp`.', 'Remove the tag.'),
    'yaml-number': advice('A number is not finite.', 'Use a number that JSON supports, or quote it.'),
    'yaml-key': advice('A key is not text.', 'Write one word or quoted text before the colon.'),
    'yaml-proto': advice('A key is named `__proto__`.', 'Rename it.'),
    'yaml-merge': advice('`<<` is not followed by a map.', 'Write `<<: *name`.'),
    'duplicate-key': advice('A key occurs twice; the message names the first line.', 'Keep one.'),
    more: advice('A file has more problems than are shown.', 'Correct the problems above first.'),
  },
  'Keys and values': {
    'svc-version': advice('`svc` is not the number 1.', 'Write `svc: 1`.'),
    'missing-field': advice('A required key is missing.', 'Add it.'),
    'unknown-key': advice(
      'A key is not known at this place, or a text without quotes has a comma inside `{}`.',
      'Use the nearest known key, which the message names, or put the text in quotes.',
    ),
    'wrong-type': advice(
      'A value has the wrong type, such as text instead of a list.',
      'Write it as the message shows.',
    ),
    'wrong-value': advice(
      'A value is not one of the possible values.',
      'Use one of the values that the message lists.',
    ),
    type: advice(
      'A type contradicts itself, or its own default, examples or enum.',
      'Correct the constraint that the message names.',
    ),
    reference: advice(
      'A reference is in a place where `svc` does not resolve references.',
      'Write the value, or move it to the user file.',
    ),
    'profile-unknown': advice(
      'The profile is not declared.',
      'Declare it under `profiles`, or choose one that the message lists.',
    ),
  },
  Endpoints: {
    'several-endpoints': advice('A file holds more than one endpoint.', 'Make one file per endpoint.'),
    misplaced: advice('The folder is for another kind of endpoint.', 'Move the file.'),
    'duplicate-name': advice(
      'Another endpoint has the same name; the message lists the other places.',
      'Rename one of them.',
    ),
    source: advice(
      '`source` has neither `code` nor `file`, or has both, or has Python under `code`.',
      'Write exactly one of `code` and `file`; Python needs `file`.',
    ),
    'source-missing': advice(
      'The file of `source` does not exist.',
      'Correct the path, which is relative to the YAML file.',
    ),
    'source-outside': advice(
      'The file of `source` is outside the project.',
      'Use a file inside the project.',
    ),
    'front-matter': advice(
      'A skill does not begin with its front matter, or the front matter has no end.',
      'Write `---` before and after the keys `name` and `description`.',
    ),
    'skill-name': advice(
      'The `name` of a skill is not that of its file or folder.',
      'Give both the same name.',
    ),
    'skill-file': advice(
      'A folder of `skills/` has no `SKILL.md`, or a file there belongs to no skill.',
      'Add `SKILL.md`, or move the file into the folder of a skill.',
    ),
    'result-form': advice(
      '`format`, `large_result` or `view` does not fit the result of the tool, or `large_result` is on a tool that writes or asks.',
      'Correct the result, or remove the key.',
    ),
    content: advice(
      '`content: rows` has a `mime_type`, or a `return` other than an array.',
      'Remove `content`, or correct `return` and `mime_type`.',
    ),
    uri: advice(
      'A URI is invalid, or its placeholders and the parameters differ.',
      'Declare each placeholder under `parameters`, and use each parameter in the URI.',
    ),
    annotation: advice(
      '`readOnlyHint` says that the SQL only reads, but it writes.',
      'Omit `readOnlyHint`; it follows from the SQL.',
    ),
    ask: advice(
      'The condition `when` of a question has an error, or a name occurs twice among parameters, questions and answers.',
      'Correct the condition, or rename one of them.',
    ),
    completion: advice(
      'The SQL of `completion` belongs to no parameter, or is no query. Or rules hide fields, and the result has no column of the name, so callers under such a rule get no values.',
      'Correct the place that the message names.',
    ),
    template: advice(
      'A template has an error, or uses an undefined name.',
      'Correct it; the message gives the nearest name.',
    ),
    policy: advice(
      'A condition has an error, or uses a name that it cannot see.',
      'Correct it; the message gives the nearest name.',
    ),
    'policy-unreachable': advice(
      'A rule has no effect, because an earlier rule always decides first.',
      'Move or remove it.',
    ),
    'policy-contradiction': advice('A condition contradicts itself and is never true.', 'Correct it.'),
    'test-argument': advice(
      'A test has an undeclared argument, or lacks a required one.',
      'Correct the test.',
    ),
  },
  SQL: {
    'sql-empty': advice('The SQL is empty.', 'Write a statement.'),
    'sql-syntax': advice(
      'A quote or comment is not closed, a parameter has another form than `$name`, or the verb is misspelt.',
      'Close it, write parameters as `$name`, or correct the verb.',
    ),
    'sql-statements': advice(
      'The SQL has more than one statement.',
      'Join them with WITH, or make one endpoint per statement.',
    ),
    'sql-undeclared': advice('The SQL uses an undeclared parameter.', 'Declare it under `parameters`.'),
    cache: advice(
      '`cache` is set on a source whose results cannot be kept: Python, SQL that writes, or SQL that reads headers or the token of the user.',
      'Remove `cache`.',
    ),
    'sql-property': advice(
      'Properties of a parameter of SQL differ in upper and lower case only, or one has no name.',
      'Rename one.',
    ),
    'sql-unused': advice('The SQL does not use a declared parameter.', 'Use it, or remove it.'),
    'too-many-ranges': advice(
      'The plan of a statement reads more ranges of a large database than the platform allows a call, or more bytes than `limits.scan_bytes`. A warning, because the number is an estimate.',
      'Sort the table by the column that the message names, with `--sort` of `svc build`, or read less.',
    ),
    'sql-failed': advice(
      'The engine that will serve the endpoint cannot plan the statement.',
      "Correct it; the message has DuckDB's text.",
    ),
    'column-twice': advice(
      'A query returns two columns with the same name, and a rule hides this name. The second column becomes `name_1`, which no rule hides.',
      'Select only one of them, or name both with AS and hide both.',
    ),
    'column-absent': advice(
      'A rule or `sensitive` hides a field that the query does not return. A call to which the rule applies is denied.',
      'Correct the name of the field.',
    ),
    'column-missing': advice(
      '`return` requires a property of each row that the query returns as no column, so each row is refused.',
      'Select the column, or remove the name from `required`.',
    ),
    'table-rule': advice(
      'A rule of `sql_tools.tables` names a table or a column that the database does not have.',
      'Correct the name.',
    ),
    'sql-not-checked': advice(
      'The statement was not planned, because the database does not exist or cannot be opened. Its syntax was checked.',
      'Create the database or a `seed.sql`, or stop the process that holds the file.',
    ),
    'database-unreadable': advice(
      'The database file comes from a version of DuckDB that svc does not read, is encrypted or truncated, or is not a DuckDB file.',
      'Convert it with the statements of the message, or name another file.',
    ),
    'target-unsupported': advice(
      'The platform or engine does not support this.',
      'Follow the suggestion of the message, or choose another `--target`.',
    ),
    'extension-missing': advice(
      'An attached database needs an extension that the project does not load.',
      'Add it to `extensions`.',
    ),
    'extension-unavailable': advice(
      'An extension cannot be loaded on this machine, so a server would not start here.',
      'Correct its name or `repo`, or put its file into a folder, as the message says.',
    ),
  },
  Python: {
    'python-syntax': advice('The file does not parse.', 'Correct it at the given place.'),
    'python-function': advice(
      "The file has no function with the endpoint's name.",
      'Give the function the name of the endpoint.',
    ),
    'python-parameter': advice(
      'The parameters of the function and of the endpoint differ.',
      'Make them the same.',
    ),
    'python-default': advice(
      'A default differs between the function and the endpoint.',
      'Keep it only in the endpoint file.',
    ),
    'python-type': advice('An annotation of the function contradicts the declared type.', 'Make them agree.'),
    'python-not-checked': advice(
      'There is no python3 to check the file with.',
      'Install python3, or name an interpreter in `SVC_PYTHON` or `python.interpreter`.',
    ),
  },
  'User file and environment': {
    'project-unknown': advice('`projects` does not have this project.', 'Use the name from `svc-site.yml`.'),
    'unknown-variable': advice(
      'A variable begins with `SVC_` and is not known.',
      'Use the nearest known variable, or unset it.',
    ),
    'reference-unresolved': advice(
      'A value refers to something that does not exist.',
      'Supply it; the message names the reference.',
    ),
    'secret-undefined': advice(
      'The site file needs a secret that the profile does not define.',
      'Define it under `secrets` of the profile.',
    ),
    'secret-idle': advice(
      'A secret belongs to an extension that is not loaded.',
      'Add the extension, or remove the secret.',
    ),
    'secret-type': advice(
      'The type of a secret is almost one that svc knows.',
      'Write the type that the message suggests.',
    ),
    'sandbox-conflict': advice(
      '`database.sandbox` contradicts extensions or secrets.',
      'Remove one of them.',
    ),
    'literal-secret': advice(
      'A file that is distributed contains a literal secret.',
      'Write a reference in its place.',
    ),
    'model-unknown': advice('`models.default` names an unknown model.', 'Name one of the configured models.'),
    'address-unsafe': advice(
      'Callers need tokens, but the address of the server is not safe for them, so `svc serve` or the artefact does not start.',
      'Set `transport.http.base_url` to its public https address.',
    ),
    'package-missing': advice(
      'A setting needs packages that are not installed here, so `svc serve` does not start.',
      'Run the command that the finding names, or remove the setting.',
    ),
    'origins-differ': advice(
      '`auth_url` and `token_url` lead to different servers.',
      'Correct them, unless you intend this.',
    ),
    'sign-in-open': advice(
      'Everybody whom the identity provider signs in may use the server.',
      'Add `auth.allow` with the groups, domains or email addresses of your people.',
    ),
    'public-on-purpose': advice(
      'There is no sign-in, because `auth.public` or SVC_PUBLIC says so.',
      'Set `auth.provider` if callers should sign in.',
    ),
    'scope-unheld': advice(
      'A scope that an endpoint or the server requires is in no entry of `auth.grants`, so no user holds it, or an API key lacks a scope that every caller must hold.',
      'Add an entry for it to `auth.grants`, or the scope to the key, or remove the requirement.',
    ),
    'api-key-expired': advice(
      'An API key has expired, so it lets nobody in.',
      'Replace it with a new key, or remove its entry.',
    ),
    'api-key-expires': advice(
      'An API key expires within 30 days.',
      'Make a new key with `svc auth api-key`, and replace the entry before that date.',
    ),
    'api-key-scope-unused': advice(
      'An API key has a scope that no endpoint and no setting requires.',
      'Correct the scope, or remove it.',
    ),
    'grant-unverified': advice(
      'A rule of `auth.allow` or `auth.grants` relies on a claim that users choose themselves, or that clients request.',
      'Name a group, a role or a verified email address.',
    ),
    'grant-idle': advice(
      'A rule of `auth.allow` or `auth.grants` has no effect with this identity provider.',
      'Make the change that the message names.',
    ),
    'client-unusable': advice(
      'A static client could never get a token.',
      'Add the setting that the message names.',
    ),
  },
  'Evaluations and the lock': {
    'lock-breaking': advice(
      'A correct call may now fail or return something else, compared with `svc-lock.json`.',
      'Undo the change, or accept it with `svc lock` and commit the file.',
    ),
    'lock-widening': advice(
      'Clients may now do or expect more, compared with `svc-lock.json`.',
      'Accept the change with `svc lock` and commit the file.',
    ),
    'lock-wording': advice(
      'Texts that clients see differ from `svc-lock.json`.',
      'Accept the change with `svc lock` and commit the file.',
    ),
    evals: advice(
      'A suite names something that does not exist.',
      'Correct it; see [evaluate-with-models.md](../how-to/evaluate-with-models.md).',
    ),
    'lock-not-checked': advice(
      'The project has errors, so it was not compared with `svc-lock.json`.',
      'Correct the errors, and validate again.',
    ),
  },
  'Found by `svc lint`': {
    'endpoint-description': advice(
      'Clients cannot tell when to use the endpoint.',
      'Describe the result in `description`.',
    ),
    'endpoint-tags': advice('The endpoint has no tags.', 'Add `tags`.'),
    'endpoint-tests': advice('The endpoint has no tests.', 'Add one under `tests`.'),
    'test-description': advice(
      'The purpose of a test is not stated.',
      'Say in `description` which mistake the test would catch.',
    ),
    'tool-annotations': advice(
      'The tool has no annotations.',
      'Add `title`, and `idempotentHint` if it is true.',
    ),
    'parameter-description': advice(
      'A model has to guess the meaning of a parameter.',
      'Describe it, with its unit or format.',
    ),
    'parameter-examples': advice('A parameter has no examples.', 'Add one or two real values.'),
    'parameter-default': advice(
      'Every call must give the parameter.',
      'Add `default` if a call without the parameter makes sense.',
    ),
    'return-description': advice(
      'A part of the result is not explained.',
      'Describe its content in `description`.',
    ),
  },
};
