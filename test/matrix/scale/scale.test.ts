import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildTarget } from '../../../deploy/build.ts';
import { generateKey } from '../../../src/crypto/keys.ts';
import { createProject } from '../fixture.ts';
import { type Balancer, createBalancer, type Place } from './balancer.ts';
import { type Instance, startInstance } from './instance.ts';
import { offerLoad } from './load.ts';

// sixteen engines and more start here, on machines with little to spare
vi.setConfig({ testTimeout: 480_000, hookTimeout: 240_000 });

const INSTANCES = 8;
const KILLS = 8;
const EXCHANGED = 2;
/** It goes on until so many were answered, however fast instances start. */
const LEAST_ANSWERED = 200;
/** A balancer that has nobody left to ask is another failure than the one looked for. */
const LEAST_ALIVE = 4;
const SECRET = 'planted-robot-secret';
const { kid, secret: key } = generateKey();
const ENV = { SVC_AUTH_KEYS: `${kid}:${key}`, ROBOT_SECRET: SECRET, KEYCLOAK_SECRET: 'never used' };

const userFile = (origin: string) => `svc: 1
transport: { http: { base_url: "${origin}" } }
projects:
  matrix:
    profiles:
      default:
        auth:
          provider: keycloak
          keycloak: { client_id: svc, client_secret: "\${KEYCLOAK_SECRET}", server_url: "http://127.0.0.1:9", realm: x }
          clients:
            - client_id: robot
              name: Robot
              client_secret: "\${ROBOT_SECRET}"
              grant_types: [client_credentials]
`;

let folders: readonly string[];
let folder: string;
let balancer: Balancer;
const alive = new Map<Place, Instance>();

beforeAll(async () => {
  balancer = await createBalancer(INSTANCES);
  const root = await createProject();
  const out = await mkdtemp(join(tmpdir(), 'svc-scale-'));
  folders = [root, out];
  await writeFile(join(root, 'config.yml'), userFile(balancer.origin));
  folder = (await buildTarget({ root, target: 'node', out: join(out, 'node'), config: 'config.yml' })).out;
  await Promise.all(balancer.places.map(fill));
});
afterAll(async () => {
  await Promise.all([...alive.values()].map((instance) => instance.end('SIGKILL')));
  await balancer.close();
  for (const path of folders) await rm(path, { recursive: true });
});

async function fill(place: Place): Promise<void> {
  const instance = await startInstance(folder, ENV);
  alive.set(place, instance);
  place.url = instance.url;
}

/** Kills an instance just as it is given a call; answers which calls it then had. */
async function kill(place: Place): Promise<readonly string[]> {
  const instance = alive.get(place);
  await balancer.given(place);
  alive.delete(place);
  const had = [...place.running];
  const from = place.given.length;
  await instance?.end('SIGKILL');
  // what it is given before its end is seen is in flight too
  return [...had, ...place.given.slice(from)];
}

test('of eight instances that are killed at random, no call fails but those that the killed had', async () => {
  const load = offerLoad(balancer.origin, 'kill', SECRET);
  const inFlight = new Set<string>();
  const refills: Promise<void>[] = [];
  for (let count = 0; count < KILLS || load.answered < LEAST_ANSWERED; count += 1) {
    const places = [...alive.keys()];
    const place = places[Math.floor(Math.random() * places.length)];
    if (place === undefined) throw new Error('nobody is alive');
    for (const id of await kill(place)) inFlight.add(id);
    refills.push(fill(place));
    if (alive.size <= LEAST_ALIVE) await Promise.all(refills.splice(0));
  }
  await Promise.all(refills);
  for (const place of balancer.places) await balancer.given(place);
  await load.stop();
  expect([...load.failed].filter(([id]) => !inFlight.has(id))).toEqual([]);
});

test('where instances are exchanged one after the other, no call fails at all', async () => {
  const load = offerLoad(balancer.origin, 'roll', SECRET);
  for (const place of balancer.places.slice(0, EXCHANGED)) {
    const instance = alive.get(place);
    await balancer.drain(place);
    expect(await instance?.end('SIGTERM')).toBe(0);
    await fill(place);
    await balancer.given(place);
  }
  await load.stop();
  expect([...load.failed]).toEqual([]);
  expect(load.answered).toBeGreaterThan(INSTANCES);
  for (const { answered } of balancer.places) expect(answered).toBeGreaterThan(0);
});
