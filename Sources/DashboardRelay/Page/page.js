// The script of the page: token, parts and their renewal, keys, dialogs of changes. Markup comes from the relay only,
// under the one policy that the page allows.
const $ = (s, e = document) => e.querySelector(s), $$ = (s, e = document) => [...e.querySelectorAll(s)];
const root = document.documentElement, main = $('#main'), live = $('#live');
const policy = window.trustedTypes?.createPolicy('settled', { createHTML: text => text });
const wait = ms => new Promise(done => setTimeout(done, ms));
const say = text => $('#said').replaceChildren(text), fail = text => main.replaceChildren(text);
const tab = sessionStorage, on = (type, act) => document.addEventListener(type, act);

// The token stands in the fragment once, then in the tab's storage.
if (location.hash.length > 20) {
  tab.token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname + location.search);
}
const [, first, id] = location.pathname.split('/').map(decodeURIComponent);
const screen = first || $('nav a')?.pathname.slice(1);
const query = new URLSearchParams(location.search);

const zone = () => tab.utc ? 'UTC' : query.get('zone') ?? '';
function target(path, more = query) {
  const all = new URLSearchParams(more);
  if (id) all.set('id', id);
  if (zone()) all.set('zone', zone());
  return `${path}?${all}`;
}
async function ask(path, options = {}) {
  const answer = await fetch(path, { ...options, headers: { ...options.headers, Authorization: `Bearer ${tab.token}` } });
  if (answer.status === 401) needToken();
  return answer;
}
function needToken() {
  tab.token = '';
  $('#token').showModal();
}
$('#token').addEventListener('cancel', e => e.preventDefault());
$('#token form').addEventListener('submit', () => {
  // Also a whole address may be pasted.
  tab.token = $('#token-field').value.trim().split('#').pop();
  location.reload();
});

// Parts: replaced as a whole, and only when their text changed and nobody is in them.
const texts = new Map(), pending = new Set(), template = document.createElement('template'), time = () => performance.now();
let paused = false, heard = time(), lostSince = null, clock = null, connected;
const place = name => $(`[data-part="${CSS.escape(name)}"]`);
const busy = part => part.contains(document.activeElement) || $('dialog[open]', part);
function put(element, text) {
  element.innerHTML = policy ? policy.createHTML(text) : text;
  const shown = $('.clock', element);
  if (shown) clock = Date.parse(shown.dateTime) - time();
  for (const profile of $$('[data-points]', element)) cross(profile, +profile.dataset.i || 0);
}
async function loadScreen() {
  const answer = await ask(target(`/page/${screen}`));
  if (!answer.ok) return fail((await answer.json()).detail);
  put(main, await answer.text());
  main.dataset.screen = screen;
  document.title = `${$('h1', main)?.textContent ?? screen}${id ? ' ' + id : ''} · settled`;
  for (const part of $$('[data-part]', main)) texts.set(part.dataset.part, part.innerHTML);
}
async function renew(name) {
  const part = place(name);
  if (!part || busy(part)) return;
  pending.delete(name);
  const answer = await ask(target(`/part/${name}`));
  if (!answer.ok) return;
  const text = await answer.text();
  put(template, text);
  if (template.innerHTML === texts.get(name)) return;
  if (busy(part)) return pending.add(name);
  texts.set(name, template.innerHTML);
  put(part, text);
}
async function renewals() {
  for (;;) {
    await wait(1000);
    if (document.hidden || paused) continue;
    show();
    await Promise.all([...pending].map(name => renew(name).catch(() => pending.add(name))));
  }
}
const all = (own = ':not([data-asked])') => { for (const part of $$('[data-part]' + own)) pending.add(part.dataset.part); };

// One stream of lines names the parts that changed. EventSource sends no header, hence fetch.
let stream = null;
async function listen() {
  for (let pause = 1000; ; pause = Math.min(10000, pause * 2)) {
    if (document.hidden || !tab.token) { await wait(500); pause = 500; continue; }
    try {
      stream = new AbortController();
      const answer = await ask('/events', { signal: stream.signal });
      if (!answer.ok) throw new Error(answer.status);
      heard = time();
      if (texts.size) all();
      connected();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ''; ;) {
        const { done, value } = await reader.read();
        if (done) break;
        heard = time(); pause = 500;
        const lines = (rest + value).split('\n');
        rest = lines.pop();
        for (const line of lines) take(JSON.parse(line));
      }
    } catch { /* Asked again below. */ }
    if (!document.hidden) await wait(pause);
  }
}
function take(beat) {
  lostSince = beat.lost === null ? null : time() - beat.lost * 1000;
  if (beat.all) all(); else for (const name of beat.parts) pending.add(name);
}
function show() {
  const silent = (time() - heard) / 1000;
  const age = Math.round(lostSince !== null ? (time() - lostSince) / 1000 : silent);
  const lost = lostSince !== null || silent > 12;
  const text = paused ? 'paused' : lost ? `no answer for ${age} s` : 'live';
  if (live.textContent !== text) live.textContent = text;
  live.className = `pill live ${paused || lost ? 'warn' : 'good'}`;
  root.classList.toggle('stale', lost && age > 30);
  if (!clock || lost) return;
  for (const e of $$('[data-due]')) e.textContent = left(Date.parse(e.dataset.due) - clock - time());
}
const two = n => String(n).padStart(2, '0');
function left(ms) {
  const s = Math.max(0, Math.round(ms / 1000)), h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  return h ? `${h} h ${two(m)}` : m ? `${m}:${two(s % 60)}` : s ? `${s} s` : 'now';
}
on('visibilitychange', () => { if (document.hidden) stream?.abort(); else all(); });

// The request id is made when a dialog opens: pressing twice has one effect.
function open(id) {
  const dialog = document.getElementById(id), form = $('form[data-command]', dialog);
  if (form) {
    form.dataset.request = crypto.randomUUID();
    $('output', form).textContent = '';
    line(form);
  }
  dialog.showModal();
}
const quoted = text => /^[\w.:/@%+,][\w.:/@%+,-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
function line(form) {
  const code = $('[data-line]', form);
  const written = $$('[name]:not([type=hidden])', form).filter(f => f.value);
  code.textContent = [code.dataset.line, ...written.map(f =>
    `--${f.name.replace(/[A-Z]/g, c => '-' + c.toLowerCase())} ${quoted(f.value)}`)].join(' ');
}
async function run(form) {
  const body = {}, output = $('output', form);
  for (const f of $$('[name]', form)) if (f.value) body[f.name] = f.dataset.kind === 'text' ? f.value : JSON.parse(f.value);
  const disable = isDisabled => { for (const b of $$('button', form)) b.disabled = isDisabled; };
  disable(true);
  output.textContent = '';
  try {
    const answer = await ask(`/command/${form.dataset.command}`, {
      method: 'POST', body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': form.dataset.request },
    });
    const { detail, rule } = await answer.json();
    if (!answer.ok) output.textContent = `${detail} (rule ${rule})`;
    else { form.closest('dialog').close(); say(`${form.dataset.command} done`); all(''); }
  } catch {
    output.textContent = 'No answer. Press again: it has one effect.';
  }
  disable(false);
}

on('submit', e => {
  const form = e.target;
  if (form.matches('[data-command]')) { e.preventDefault(); run(form); }
  if (form.matches('[data-query]')) {
    e.preventDefault();
    location.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  }
  if (form.id === 'find') {
    e.preventDefault();
    const [, word, found] = /^ *([a-z-]*) *(\S+) *$/i.exec($('#found').value) ?? [];
    const link = $$('nav a').find(a => word && a.pathname.startsWith('/' + word.toLowerCase()));
    if (found) location = `${link?.pathname ?? '/races'}/${encodeURIComponent(found)}`;
  }
});
on('click', e => {
  const button = e.target.closest('button');
  if (!button) return;
  if (button.dataset.opens) open(button.dataset.opens);
  if ('closes' in button.dataset) button.closest('dialog').close();
  if (button.dataset.copy) navigator.clipboard.writeText(button.dataset.copy).then(() => say('copied'));
  if (button.dataset.key === 'z') { tab.utc = tab.utc ? '' : '1'; look(); all(''); }
  if (button.dataset.key === 'p') { paused = !paused; look(); show(); }
  if (button.id === 'theme') {
    tab.theme = (tab.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : '')) === 'dark' ? 'light' : 'dark';
    look();
  }
});
function look() {
  if (tab.theme) root.dataset.theme = tab.theme;
  $('[data-key=z]').setAttribute('aria-pressed', zone() === 'UTC');
  $('[data-key=p]').setAttribute('aria-pressed', paused);
}

// A preview while one types: 200 ms after the last key, the older one dropped.
let typed = null;
on('input', async e => {
  const command = e.target.closest('[data-command]');
  if (command) line(command);
  const form = e.target.closest('form[data-live]');
  if (!form) return;
  typed?.abort();
  const { signal } = typed = new AbortController();
  await wait(200);
  const name = form.dataset.live;
  try {
    const answer = await ask(target(`/part/${name}`, new URLSearchParams(new FormData(form))), { signal });
    if (answer.ok) put(place(name), await answer.text());
  } catch { /* A newer one comes. */ }
});

// Keys: not while one types, nor with a modifier.
let prefix = '';
on('keydown', e => {
  const profile = e.target.closest('[data-points]'), step = profile && { ArrowLeft: -1, ArrowRight: 1, PageUp: 20, PageDown: -20 }[e.key];
  if (step) { e.preventDefault(); return cross(profile, +profile.dataset.i + step); }
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, textarea, select, dialog')) return;
  const key = prefix + e.key;
  prefix = key === 'g' ? 'g' : '';
  if (prefix) return;
  if (key === 't') return root.classList.toggle('tables');
  if (key === 'j' || key === 'k') {
    const links = $$('[data-list] > *').map(row => $('a', row)).filter(Boolean);
    const at = links.indexOf(document.activeElement);
    e.preventDefault();
    return links[Math.min(links.length - 1, Math.max(0, at + (key === 'j' ? 1 : -1)))]?.focus();
  }
  const aim = $(`[data-focus="${CSS.escape(key)}"]`) ?? $(`[data-key="${CSS.escape(key)}"]`);
  if (!aim || aim.disabled) return;
  e.preventDefault();
  if (aim.matches('input') || aim.dataset.focus) aim.focus(); else aim.click();
});

// Cross-hair: one place of an activity in the profile, on the map, and in words.
// Points: x, y, map x, map y, km, m/s, s.
function cross(profile, index) {
  const points = profile.dataset.points.split(' ').map(p => p.split(',').map(Number));
  const i = Math.min(points.length - 1, Math.max(0, index)), [x, y, mx, my, km, speed, s] = points[i];
  const set = (name, a, v, b, w) => { $(name)?.setAttribute(a, v); $(name)?.setAttribute(b, w); };
  set('#px', 'x1', x, 'x2', x); set('#pd', 'cx', x, 'cy', y); set('#md', 'cx', mx, 'cy', my);
  const text = `${km.toFixed(2)} km · ${speed.toFixed(1)} m/s · ${Math.floor(s / 60)}:${two(Math.round(s % 60))}`;
  $('#at')?.replaceChildren(text);
  profile.dataset.i = i;
  profile.setAttribute('aria-valuenow', km.toFixed(2)); profile.setAttribute('aria-valuetext', text);
}
on('pointermove', e => {
  const profile = e.target.closest?.('[data-points]');
  if (!profile) return;
  const box = profile.getBoundingClientRect(), at = (e.clientX - box.left) / box.width * profile.viewBox.baseVal.width;
  const far = profile.dataset.points.split(' ').map(p => Math.abs(parseFloat(p) - at));
  cross(profile, far.indexOf(Math.min(...far)));
});

for (const a of $$('nav a')) if (a.pathname.slice(1) === screen) a.setAttribute('aria-current', 'page');
look();
if (tab.token) {
  // The stream comes first, so that nothing is missed that happens while the screen loads.
  await Promise.race([new Promise(done => { connected = done; listen(); }), wait(1500)]);
  await Promise.all([loadScreen(), renew('header/state')]).catch(() => fail('The dashboard does not answer.'));
  renewals();
} else needToken();
