import { isObject, type JsonObject } from '../../json.ts';
import { refused } from '../upstream/errors.ts';
import { objectsOf, textOf } from '../upstream/field.ts';
import type { SendToProvider } from '../upstream/request.ts';
import { read, readObject, toReadFailure } from '../upstream/userinfo.ts';

const provider = 'GitHub';
const HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

/** What is asked of GitHub's REST API about whoever logs in. */
export interface GithubApi {
  user(): Promise<JsonObject>;
  /** The primary address if it is verified; null also where the token may not see addresses. */
  email(): Promise<string | null>;
  /** `org` and `org/team-slug`, all of them. */
  groups(): Promise<readonly string[]>;
}

interface Access {
  readonly url: string;
  readonly accessToken: string;
  readonly signal: AbortSignal;
}

/** GitHub's REST API with somebody's token. */
export function createApi(ask: SendToProvider, access: Access): GithubApi {
  return {
    user: () => readObject(ask, toQuestion(access, 'the user', '/user')),
    email: () => readEmail(ask, access),
    groups: async () => {
      const organisations = await readPages(ask, access, '/user/orgs');
      const teams = await readPages(ask, access, '/user/teams');
      return [...organisations.flatMap((row) => textOf(row, 'login') ?? []), ...teams.flatMap(toTeam)];
    },
  };
}

const toQuestion = ({ url, ...access }: Access, what: string, path: string) => ({
  ...access,
  provider,
  what,
  url: `${url}${path}`,
  headers: HEADERS,
});

async function readEmail(ask: SendToProvider, access: Access): Promise<string | null> {
  const { accessToken, ...question } = toQuestion(
    access,
    'the addresses',
    `/user/emails?per_page=${PAGE_SIZE}`,
  );
  const answer = await ask({ ...question, headers: { ...HEADERS, authorization: `Bearer ${accessToken}` } });
  const failure = answer.status >= 300 ? toReadFailure(answer, question) : null;
  if (failure !== null && ![403, 404].includes(answer.status)) throw failure;
  if (failure?.code === 'login_unavailable') throw failure;
  const address = objectsOf(answer.body).find(
    ({ primary, verified }) => primary === true && verified === true,
  );
  return address ? textOf(address, 'email') : null;
}

/** A list that is cut would make somebody look like a member of less, so it is refused. */
async function readPages(ask: SendToProvider, access: Access, path: string): Promise<readonly JsonObject[]> {
  const rows: JsonObject[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = `?per_page=${PAGE_SIZE}&page=${page}`;
    const found = objectsOf(await read(ask, toQuestion(access, 'the organisations', `${path}${query}`)));
    rows.push(...found);
    if (found.length < PAGE_SIZE) return rows;
  }
  throw refused(
    { provider },
    `lists more than ${PAGE_SIZE * MAX_PAGES} organisations or teams for this user.`,
  );
}

function toTeam(row: JsonObject): string[] {
  const organisation = isObject(row.organization) ? textOf(row.organization, 'login') : null;
  const slug = textOf(row, 'slug');
  return organisation === null || slug === null ? [] : [`${organisation}/${slug}`];
}
