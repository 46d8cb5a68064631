// The page's script. Markup comes from the relay only, under the page's one policy.
const $ = (s, e = document) => e.querySelector(s), $$ = (s, e = document) => [...e.querySelectorAll(s)];
const root = document.documentElement, main = $('#main'), live = $('#live');
const policy = window.trustedTypes?.createPolicy('settled', { createHTML: text => text });
const wait = ms => new Promise(done => setTimeout(done, ms));
const say = text => $('#said').replaceChildren(text), fail = text => main.replaceChildren(text);
const tab = sessionStorage, on = (type, act) => document.addEventListener(type, act);

// The token stands in the fragment once, then in this tab's storage, as does the zone.
if (location.hash.length > 20) tab.token = location.hash.slice(1);
const [, first, id] = location.pathname.split('/').map(decodeURIComponent);
const screen = first || $('nav a')?.pathname.slice(1);
const query = new URLSearchParams(location.search);
tab.zone = query.get('zone') ?? tab.zone ?? '';
if (tab.zone) query.set('zone', tab.zone);
history.replaceState(null, '', location.pathname + (query.size ? '?' + query : ''));

const zone = () => tab.utc ? 'UTC' : tab.zone;
const fields = form => new URLSearchParams(new FormData(form));
function target(path, more = query) {
  const all = new URLSearchParams(more);
  if (id) all.set('id', id);
  if (zone()) all.set('zone', zone());
  return `${path}?${all}`;
}
async function ask(path, options = {}) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(75000), ...options, headers: { ...options.headers, Authorization: `Bearer ${tab.token}` } });
  if (answer.status === 401) needToken();
  return answer;
}
function needToken() {
  tab.token = '';
  $('#token').showModal();
}
$('#token').addEventListener('close', () => tab.token || needToken());
$('#token form').addEventListener('submit', () => {
  tab.token = $('#token-field').value.trim().split('#').pop();
  location.reload();
});

// Parts: replaced whole, when their text changed and nobody is in them.
const pending = new Set(), flying = new Set(), template = document.createElement('template'), time = () => performance.now();
let paused = false, heard = time(), lostSince, refused, clock, beat = 0, read;
const busy = part => part.contains(document.activeElement) || $('dialog[open]', part);
function put(element, text) {
  element.innerHTML = policy?.createHTML(text) ?? text;
  // As they came: plots change below.
  for (const part of $$('[data-part]', element)) part.text = part.innerHTML;
  const shown = $('.clock', element);
  if (shown) clock = Date.parse(shown.dateTime) - time();
  for (const profile of $$('[data-points]', element)) cross(profile, +profile.dataset.i || 0);
}
async function loadScreen() {
  const answer = await ask(target(`/page/${screen}`) + '&within=60', { signal: null });
  if (!answer.ok) return fail((await answer.json()).detail);
  put(main, await answer.text());
  read = +answer.headers.get('Beat');
  if (beat > read) all();
  for (const e of $$('[data-late]')) fly(e.dataset.part).then(() => delete e.dataset.late);
  main.dataset.screen = screen;
  document.title = `${$('h1', main)?.textContent ?? screen}${id ? ' ' + id : ''} · settled`;
}
// With what is typed.
function address(name) {
  const form = $(`form[data-live="${name}"]`);
  return target(`/part/${name}`, form ? fields(form) : query);
}
async function renew(name) {
  const part = $(`[data-part="${name}"]`), asked = address(name);
  if (!part || busy(part)) return;
  pending.delete(name);
  const answer = await ask(asked);
  if (answer.status > 499) throw answer;
  if (!answer.ok) return;
  const text = await answer.text();
  if (busy(part) || asked !== address(name)) return pending.add(name);
  put(template, text);
  if (template.innerHTML === part.text) return;
  part.text = template.innerHTML;
  put(part, text);
}
// Each alone, however slow another is.
async function fly(name) {
  if (flying.has(name)) return pending.add(name);
  flying.add(name);
  await renew(name).catch(() => pending.add(name));
  flying.delete(name);
}
const renewals = () => setInterval(() => {
  if (document.hidden || paused) return;
  show();
  for (const name of [...pending]) fly(name);
}, 1000);
const all = (own = ':not([data-asked])') => { for (const part of $$('[data-part]' + own)) pending.add(part.dataset.part); };

// One stream of lines names the parts that changed. EventSource sends no header, hence fetch.
let stream;
async function listen() {
  for (let pause = 1000; ; pause = Math.min(10000, pause * 2)) {
    if (document.hidden || !tab.token) { await wait(500); pause = 500; continue; }
    try {
      stream = new AbortController();
      const answer = await ask('/events', { signal: stream.signal });
      if (!answer.ok) throw answer;
      heard = time();
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
function take(line) {
  beat = line.beat;
  refused = line.refused;
  lostSince = line.lost === null ? null : time() - line.lost * 1000;
  if (line.all) beat > read && all(); else for (const name of line.parts) pending.add(name);
}
function show() {
  const age = Math.round((time() - (lostSince ?? heard)) / 1000), lost = lostSince != null || age > 12;
  const text = paused ? 'paused' : lost ? `no response for ${age} s` : refused ? 'every minute' : 'live';
  if (live.textContent !== text) live.textContent = text;
  live.title = refused ?? '';
  live.className = `pill live ${text === 'live' ? 'good' : 'warn'}`;
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

// Changes: one request id until an answer is known: pressing again has one effect.
function open(id) {
  const dialog = document.getElementById(id), form = $('form[data-command]', dialog);
  if (form) {
    $('output', form).textContent = '';
    line(form);
  }
  dialog.showModal();
}
const quoted = text => /^[\w.:/@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
function line(form) {
  const code = $('[data-line]', form), { line, behind, host } = code.dataset;
  const words = is => $$(`[data-word${is}]`, form).filter(f => f.value).map(f => f.dataset.word + quoted(f.value));
  const text = [line, ...words('^="-"'), behind, ...words('=""')].filter(Boolean).join(' ');
  code.textContent = host ? `ssh ${host} ${quoted(text)}` : text;
}
async function run(form) {
  const output = $('output', form), dialog = form.closest('dialog'), { command } = form.dataset;
  const asked = location.pathname + dialog.id;
  if (form.ariaBusy) return;
  form.ariaBusy = true;
  output.textContent = '';
  try {
    const answer = await ask(`/command/${command}`, {
      method: 'POST', body: JSON.stringify(Object.fromEntries(fields(form))),
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': tab[asked] ??= 'dashboard:' + crypto.randomUUID() },
    });
    const { detail, rule } = await answer.json();
    if (answer.status < 500) delete tab[asked];
    if (answer.ok) {
      dialog.close();
      // Out of the part, so that it is renewed.
      main.focus({ preventScroll: true });
      say(command + ' done');
      all('');
    } else output.textContent = `${detail} (rule ${rule})`;
  } catch {
    output.textContent = 'No response. You can safely press again.';
  }
  form.ariaBusy = null;
}

on('submit', e => {
  const form = e.target, { command, query: isQuery, screens } = form.dataset;
  if (command) run(form);
  else if (isQuery === '') {
    query.delete('after');
    for (const [name, value] of fields(form)) value ? query.set(name, value) : query.delete(name);
    location.search = query;
  } else if (screens) {
    const [found, word = 'races'] = $('#found').value.trim().split(/\s+/).reverse();
    const name = screens.split(' ').find(name => name.startsWith(word.toLowerCase()));
    if (found && name) location = `/${name}/${encodeURIComponent(found)}`;
  } else return;
  e.preventDefault();
});
on('click', e => {
  const button = e.target.closest('button');
  if (!button) return;
  const { opens, closes, key } = button.dataset;
  if (opens) open(opens);
  if (closes === '') button.closest('dialog').close();
  if (key === 'z') { tab.utc = tab.utc ? '' : '1'; look(); all(''); }
  if (key === 'p') { paused = !paused; look(); show(); }
  if (button.id === 'theme') {
    tab.theme = tab.theme === 'dark' || !tab.theme && matchMedia('(prefers-color-scheme: dark)').matches ? 'light' : 'dark';
    look();
  }
});
function look() {
  if (tab.theme) root.dataset.theme = tab.theme;
  $('[data-key=z]').ariaPressed = zone() === 'UTC';
  $('[data-key=p]').ariaPressed = paused;
}

// A preview while one types: 200 ms after the last key.
let typed;
on('input', async e => {
  const command = e.target.closest('[data-command]'), form = e.target.closest('form[data-live]'), last = typed = {};
  if (command) line(command);
  await wait(200);
  if (form && last === typed) fly(form.dataset.live);
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
  if (!aim) return;
  e.preventDefault();
  if (aim.matches('input') || aim.dataset.focus) aim.focus(); else aim.click();
});

// Cross-hair: one place of an activity in the profile, on the map, and in words.
function cross(profile, index) {
  const points = profile.dataset.points.split(' ').map(p => p.split(',').map(Number));
  const i = Math.min(points.length - 1, Math.max(0, index)), [x, y, mx, my, km, speed, s] = points[i];
  const set = (name, a, v, b, w) => { $(name)?.setAttribute(a, v); $(name)?.setAttribute(b, w); };
  set('#px', 'x1', x, 'x2', x); set('#pd', 'cx', x, 'cy', y); set('#md', 'cx', mx, 'cy', my);
  const text = `${km.toFixed(2)} km · ${speed.toFixed(1)} m/s · ${Math.floor(s / 60)}:${two(Math.round(s % 60))}`;
  $('#at')?.replaceChildren(text);
  profile.dataset.i = i;
  profile.ariaValueNow = km.toFixed(2); profile.ariaValueText = text;
}
on('pointermove', e => {
  const profile = e.target.closest?.('[data-points]');
  if (!profile) return;
  const box = profile.getBoundingClientRect(), at = (e.clientX - box.left) / box.width * profile.viewBox.baseVal.width;
  const far = profile.dataset.points.split(' ').map(p => Math.abs(parseFloat(p) - at));
  cross(profile, far.indexOf(Math.min(...far)));
});

$(`nav a[href="/${screen}"]`)?.setAttribute('aria-current', 'page');
look();
if (tab.token) {
  // Beside the stream: a beat after the screen was read renews it.
  listen();
  await Promise.all([loadScreen(), renew('header/state')]).catch(() => fail('The dashboard is unreachable.'));
  renewals();
} else needToken();
