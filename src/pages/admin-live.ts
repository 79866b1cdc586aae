import { STYLE } from './admin-style.ts';
import { html } from './html.ts';
import type { HtmlPage } from './page.ts';

const BODY = html`<header>
<h1 id="project">svc</h1><span id="what" class="dim"></span>
<nav><span id="reloaded" class="dim"></span><button id="reload">Reload</button><a href="docs">API</a></nav>
</header>
<p id="lost" class="bad" role="alert" hidden></p>
<div class="cards">
<section>Calls in the last hour<b id="calls">-</b></section>
<section>Errors<b id="errors">-</b></section>
<section>Denied<b id="denials">-</b></section>
<section>Average time<b id="average">-</b></section>
<section>Running now<b id="running">-</b></section>
<section>Memory<b id="memory">-</b></section>
</div>
<section><h2>Calls per minute</h2><svg id="chart" viewBox="0 0 600 100" preserveAspectRatio="none" role="img" aria-label="Calls per minute of the last hour"></svg>
<span class="dim" id="peak"></span></section>
<section><h2>Endpoints</h2><table><thead><tr><th>Name</th><th>Type</th><th>File</th><th>State</th></tr></thead><tbody id="endpoints"></tbody></table></section>
<section><h2>Last calls</h2><table><thead><tr><th>Time</th><th>Endpoint</th><th>Result</th><th>Policy</th><th class="number">ms</th></tr></thead><tbody id="last"></tbody></table></section>
<section><h2>Last records</h2><p class="dim" id="recorded"></p><table><thead><tr><th>Time</th><th>Endpoint</th><th>User</th><th>Status</th><th>Message</th></tr></thead><tbody id="records"></tbody></table></section>`;

/** The browser runs this text, which needs no build. */
const SCRIPT = `
const $ = (id) => document.getElementById(id);
const cell = (text, kind = '') => { const td = document.createElement('td'); td.textContent = text ?? ''; td.className = kind; return td; };
const fill = (id, rows) => $(id).replaceChildren(...rows.map((cells) => { const tr = document.createElement('tr'); tr.append(...cells); return tr; }));
const get = async (path) => { const answer = await fetch(path); if (!answer.ok) throw new Error((await answer.json()).message); return answer.json(); };
const clock = (time) => new Date(time).toLocaleTimeString();
const sum = (list, key) => list.reduce((total, one) => total + one[key], 0);
const megabytes = (bytes) => Math.round(bytes / 1048576) + ' MB';

function chart(minutes) {
  const most = Math.max(1, ...minutes.map(({ calls }) => calls));
  const bar = (count, index, kind) => {
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    const height = (count / most) * 100;
    for (const [name, value] of Object.entries({ x: index * 10 + 1, width: 8, y: 100 - height, height })) rect.setAttribute(name, value);
    rect.setAttribute('class', kind);
    return rect;
  };
  $('chart').replaceChildren(...minutes.flatMap(({ calls, errors }, index) => [bar(calls, index, 'calls'), bar(errors, index, 'errors')]));
  $('peak').textContent = 'at most ' + most + (most === 1 ? ' call' : ' calls') + ' a minute; red: errors';
}

function show([status, config, { endpoints }, { minutes, calls }, memory, audit]) {
  const { reload } = status;
  $('project').textContent = config.project;
  $('what').textContent = [config.profile, status.mode, config.transport, 'svc ' + status.version, 'up ' + status.uptime].join(' · ');
  $('reloaded').textContent = reload.in_progress ? 'reloading ...' : reload.last_reload === null ? '' :
    reload.last_reload_status === 'success' ? 'reloaded ' + clock(reload.last_reload) : 'reload failed: ' + reload.last_reload_error;
  $('reloaded').className = reload.last_reload_status === 'error' ? 'bad' : 'dim';
  $('reload').disabled = reload.in_progress;
  const count = sum(minutes, 'calls');
  const time = minutes.reduce((total, { calls, average_ms }) => total + calls * average_ms, 0);
  $('calls').textContent = count;
  $('errors').textContent = sum(minutes, 'errors');
  $('denials').textContent = sum(minutes, 'denials');
  $('average').textContent = count === 0 ? '-' : (time / count).toFixed(1) + ' ms';
  $('running').textContent = reload.active_requests;
  $('memory').textContent = megabytes(memory.svc_process_rss_bytes);
  chart(minutes);
  const order = [...endpoints].sort((a, b) => (a.status === 'ok') - (b.status === 'ok'));
  fill('endpoints', order.map((one) => [cell(one.name ?? '-'), cell(one.type ?? '-'), cell(one.path, 'dim'),
    cell(one.error ?? (one.enabled ? 'ok' : 'disabled'), one.status === 'error' ? 'bad' : one.enabled ? 'good' : 'dim')]));
  fill('last', calls.map((one) => [cell(clock(one.timestamp)), cell(one.name),
    cell(one.error ?? one.status, one.error === null ? 'good' : 'bad'), cell(one.policy_decision), cell(String(Math.round(one.duration_ms)), 'number')]));
  $('recorded').textContent = config.features.audit_logging ? '' : 'Calls are not recorded: audit.enabled is false.';
  fill('records', audit.records.map((one) => [cell(clock(one.timestamp)), cell(one.operation_name), cell(one.user_id ?? '-'),
    cell(one.operation_status, one.operation_status === 'error' ? 'bad' : 'good'), cell(one.policy_reason ?? one.error_message ?? '')]));
}

let turns = 0;
let records = null;
async function refresh() {
  try {
    const [...facts] = await Promise.all(['status', 'config', 'endpoints', 'activity', 'system/memory'].map(get));
    // The file of records may be long, so it is not read each time.
    if (turns++ % 5 === 0) records = await get('audit/query?limit=10');
    show([...facts, records]);
    $('lost').hidden = true;
  } catch (error) {
    $('lost').textContent = 'The server does not answer: ' + error.message;
    $('lost').hidden = false;
  }
  document.body.dataset.shown = String(Number(document.body.dataset.shown ?? 0) + 1);
}

$('reload').addEventListener('click', async () => {
  $('reload').disabled = true;
  await fetch('reload', { method: 'POST' });
  await refresh();
});
setInterval(() => document.hidden || refresh(), 2000);
refresh();
`;

/** The page at `/` of the admin API: state, figures, latest calls, and a button for a reload. */
export const LIVE_PAGE: HtmlPage = { title: 'svc', body: BODY, style: STYLE, script: SCRIPT };
