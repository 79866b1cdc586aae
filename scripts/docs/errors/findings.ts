import type { Advice } from './codes.ts';

const advice = (why: string, fix: string): Advice => ({ why, fix });

/** What `svc validate` and whatever loads a project can find, by where it stands. */
export const FINDINGS: Readonly<Record<string, Readonly<Record<string, Advice>>>> = {
  'Files and YAML': {
    'site-missing': advice('The folder has no `svc-site.yml`.', 'Run `svc init`, or go into the project.'),
    'folder-empty': advice('A folder of `paths` is not there or has no endpoint file.', 'Correct the path.'),
    'file-unreadable': advice(
      'A file cannot be read: rights, a broken link, a link out of the project.',
      'Mend what the message names.',
    ),
    'file-size': advice('A file is larger than such a file may be.', 'Split it.'),
    'file-empty': advice('A file is empty.', 'Write into it, or delete it.'),
    encoding: advice('A file is not UTF-8 (or UTF-16 with its mark).', 'Save it as UTF-8.'),
    'control-character': advice(
      'A file holds a character that YAML does not allow.',
      'Delete it; the place is given.',
    ),
    'yaml-syntax': advice(
      'The text is no YAML from this place on.',
      'Look at quotes, brackets and indentation there.',
    ),
    'yaml-documents': advice('A file holds several documents.', 'Make a file of each.'),
    'yaml-depth': advice('Values are nested deeper than is read.', 'Flatten them.'),
    'yaml-size': advice('Aliases make more values than are read.', 'Write fewer of them.'),
    'yaml-alias': advice('An alias stands for nothing.', 'Define its anchor before it.'),
    'yaml-cycle': advice('An alias stands for something that contains it.', 'Write out what is meant.'),
    'yaml-number': advice('A number is not finite.', 'Write one that JSON can carry, or quote it.'),
    'yaml-key': advice('A key is no text.', 'Write one word or quoted text before the colon.'),
    'yaml-proto': advice('A key is called `__proto__`.', 'Give it another name.'),
    'yaml-merge': advice('`<<` is followed by no map.', 'Write `<<: *name`.'),
    'duplicate-key': advice('A key is there twice; the first line is named.', 'Keep one.'),
    more: advice('A file has more problems than are shown.', 'Correct those above first.'),
  },
  'Keys and values': {
    'svc-version': advice('`svc` is not the number 1.', 'Write `svc: 1`.'),
    'missing-field': advice('A key that is required is missing.', 'Add it.'),
    'unknown-key': advice('A key is not known at this place.', 'Take the nearest known key, which is named.'),
    'wrong-type': advice(
      'A value is of another kind, such as text for a list.',
      'Write it as the message shows.',
    ),
    'wrong-value': advice(
      'A value is not one of those that are possible.',
      'Take one of those that are named.',
    ),
    type: advice(
      'A type contradicts itself, or what it says about values.',
      'Correct the constraint that is named.',
    ),
    reference: advice(
      'A reference stands where none is resolved.',
      'Write the value, or move it to the user file.',
    ),
    'profile-unknown': advice(
      'The profile is not declared.',
      'Declare it under `profiles`, or choose one that is named.',
    ),
  },
  Endpoints: {
    'several-endpoints': advice('A file holds more than one endpoint.', 'Make a file of each.'),
    misplaced: advice('The folder is for another kind of endpoint.', 'Move the file.'),
    'duplicate-name': advice('A name is taken; the other places are named.', 'Rename one of them.'),
    source: advice('`source` does not say what runs, or says it twice.', 'Write `code` or `file`.'),
    'source-missing': advice(
      'The file of `source` is not there.',
      'Correct the path, which is relative to the YAML file.',
    ),
    'source-outside': advice('The file of `source` is outside of the project.', 'Name a file inside.'),
    content: advice('`content`, `mime_type` and `return` do not go together.', 'Keep those that fit.'),
    uri: advice(
      'A URI is none, or its placeholders are not the parameters.',
      'Declare each placeholder under `parameters`.',
    ),
    annotation: advice(
      '`readOnlyHint` says that SQL reads, and it writes.',
      'Leave it out; it follows from the SQL.',
    ),
    ask: advice('A question is asked that nothing uses, or too late.', 'Use its answer, or remove it.'),
    completion: advice(
      'The SQL of `completion` is for no parameter, or cannot run.',
      'Correct what is named.',
    ),
    template: advice(
      'A template has an error or a name that nothing provides.',
      'Correct it; the nearest name is given.',
    ),
    policy: advice(
      'A condition has an error, or a name that it cannot see.',
      'Correct it; the nearest name is given.',
    ),
    'policy-unreachable': advice(
      'A rule can never decide anything: another decides before it.',
      'Move or remove it.',
    ),
    'policy-contradiction': advice('A condition contradicts itself and never holds.', 'Correct it.'),
    'test-argument': advice(
      'A test gives an argument that is not declared, or lacks one.',
      'Correct the test.',
    ),
  },
  SQL: {
    'sql-empty': advice('There is no SQL.', 'Write a statement.'),
    'sql-syntax': advice(
      'A quote or comment is not closed, or a parameter is written in another way.',
      'Write parameters as `$name`.',
    ),
    'sql-statements': advice(
      'There is more than one statement.',
      'Join them with WITH, or make an endpoint of each.',
    ),
    'sql-undeclared': advice(
      'The SQL uses a parameter that is not declared.',
      'Declare it under `parameters`.',
    ),
    'sql-unused': advice('A parameter is declared, and the SQL does not use it.', 'Use it, or remove it.'),
    'sql-failed': advice(
      'The engine that will serve cannot plan the statement.',
      "Correct it; DuckDB's words are given.",
    ),
    'column-twice': advice(
      'A query gives two columns of one name that a rule hides; the second comes as `name_1`, which nothing hides.',
      'Select the one that is meant, or name both with AS and hide both.',
    ),
    'sql-not-checked': advice(
      'The statement was not planned, since there is no database.',
      'Make the database, or a `seed.sql`.',
    ),
    'target-unsupported': advice(
      'The platform or engine cannot do this.',
      'Do what the message suggests, or choose another `--target`.',
    ),
    'extension-unavailable': advice(
      'An extension cannot be loaded on this machine, so no server would start here.',
      'Correct its name or `repo`, or install it beforehand.',
    ),
  },
  Python: {
    'python-syntax': advice('The file does not parse.', 'Correct it; the place is given.'),
    'python-function': advice(
      "The file has no function of the endpoint's name.",
      'Name the function like the endpoint.',
    ),
    'python-parameter': advice(
      'Parameters of the function and of the endpoint differ.',
      'Make them the same.',
    ),
    'python-default': advice(
      'A default differs between function and endpoint.',
      'Keep it in the endpoint file.',
    ),
    'python-type': advice('An annotation of the function contradicts the declared type.', 'Make them agree.'),
    'python-not-checked': advice(
      'There is no python3 to check with.',
      'Install it; what is served elsewhere is not affected.',
    ),
  },
  'User file and environment': {
    'project-unknown': advice('`projects` does not have this project.', 'Use the name of `svc-site.yml`.'),
    'unknown-variable': advice(
      'A variable begins with `SVC_` and is not known.',
      'Take the nearest known one, or unset it.',
    ),
    'reference-unresolved': advice(
      'What a value refers to is not there.',
      'Supply it; the reference is named.',
    ),
    'secret-undefined': advice(
      'The site file needs a secret that the profile does not define.',
      'Define it under `secrets` of the profile.',
    ),
    'secret-idle': advice(
      'A secret is for an extension that is not loaded.',
      'Add the extension, or remove the secret.',
    ),
    'sandbox-conflict': advice(
      '`database.sandbox` contradicts extensions or secrets.',
      'Remove one of them.',
    ),
    'literal-secret': advice('A secret stands in a file that travels.', 'Write a reference in its place.'),
    'model-unknown': advice('`models.default` names no model.', 'Name one of those that are there.'),
    'origins-differ': advice(
      '`auth_url` and `token_url` lead to different servers.',
      'Correct them, if that is not meant.',
    ),
    'client-unusable': advice('A static client could never get a token.', 'Add what is named.'),
  },
  'Evaluations and the lock': {
    evals: advice(
      'A suite names what is not there.',
      'Correct it; see [evaluate-with-models.md](../how-to/evaluate-with-models.md).',
    ),
    'lock-not-checked': advice('There is no `svc-lock.json` to hold the project against.', 'Run `svc lock`.'),
  },
  'Found by `svc lint`': {
    'endpoint-description': advice(
      'Clients cannot tell when to use the endpoint.',
      'Say in `description` what it answers.',
    ),
    'endpoint-tags': advice('The endpoint has no tags.', 'Add `tags`.'),
    'endpoint-tests': advice('The endpoint has no tests.', 'Add one under `tests`.'),
    'test-description': advice(
      'A test does not say what it is for.',
      'Say in `description` what it would catch.',
    ),
    'tool-annotations': advice(
      'The tool has no annotations.',
      'Add `title`, and `idempotentHint` where it is true.',
    ),
    'parameter-description': advice(
      'A model has to guess what a parameter is.',
      'Say it, with unit or form.',
    ),
    'parameter-examples': advice('A parameter has no examples.', 'Give one or two real values.'),
    'parameter-default': advice(
      'Every call must give the parameter.',
      'Add `default`, where a call without it makes sense.',
    ),
    'return-description': advice(
      'A part of the result is not explained.',
      'Say in `description` what it holds.',
    ),
  },
};
