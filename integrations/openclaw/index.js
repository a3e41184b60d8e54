// Reverie for OpenClaw. Everything is asked of the program `dream … --json`; nothing is decided here.
// Whatever goes wrong, the reply to the user goes on without us.

import { execFile } from "node:child_process";

const LONGEST = 8000; // characters of a message: an argument of a program has an end
const WORK = 120000; // ms for a tool; a night over a large workspace takes its time

/** Ask the program, and never throw: `{ ok, value, error }`. */
function ask(settings, args, { timeout = WORK, input = "", workspace = "" } = {}) {
  const where = settings.workspace || workspace;
  const all = [args[0], "--json", ...(where ? ["--workspace", where] : []), ...args.slice(1)];
  return new Promise((resolve) => {
    const options = { timeout, maxBuffer: 16 * 1024 * 1024, windowsHide: true, encoding: "utf8" };
    const child = execFile(settings.command || "dream", all, options, (error, stdout, stderr) => {
      let value = null;
      try {
        value = JSON.parse(stdout);
      } catch {
        // an error that is not ours prints no JSON; its words are on stderr
      }
      // some operations may be refused and the others taken: the value tells both
      if ((!error || Array.isArray(value?.refused)) && value !== null) return resolve({ ok: true, value, error: "" });
      const said = value?.message || String(stderr || error?.message || "dream said nothing").trim();
      resolve({ ok: false, value, error: said });
    });
    child.stdin?.on("error", () => {}); // it may end before it has read what we say
    child.stdin?.end(input);
  });
}

/** Where the message was said, as the session's key tells it. */
function chatType(sessionKey) {
  const found = /:(group|channel|direct|dm)(:|$)/.exec(String(sessionKey || ""));
  return found && (found[1] === "group" || found[1] === "channel") ? found[1] : "direct";
}

function textOf(message) {
  if (typeof message?.content === "string") return message.content;
  const parts = Array.isArray(message?.content) ? message.content : [];
  return parts.filter((part) => part?.type === "text").map((part) => part.text).join("\n");
}

/** The turns before the message, oldest first. */
function turnsOf(messages) {
  return (Array.isArray(messages) ? messages : [])
    .filter((message) => message?.role === "user" || message?.role === "assistant")
    .slice(-8)
    .map((message) => ({ role: message.role, text: textOf(message).slice(0, 1000) }))
    .filter((turn) => turn.text);
}

async function recall(api, settings, event, ctx) {
  if (ctx?.trigger && ctx.trigger !== "user") return undefined; // cron and heartbeats have no user to remember for
  const message = String(event?.currentUserMessage ?? event?.prompt ?? "").slice(0, LONGEST);
  if (!message.trim()) return undefined;
  const timeout = settings.timeoutMs || 4000;
  const args = ["recall", "--timeout", String(timeout), "--turns", "-", "--chat-type", chatType(ctx?.sessionKey)];
  if (ctx?.agentId) args.push("--agent", ctx.agentId);
  if (ctx?.chatId) args.push("--chat-id", String(ctx.chatId));
  const found = await ask(settings, [...args, "--", message], {
    timeout: timeout + 3000, // the program keeps its own time; this is for one that hangs
    input: JSON.stringify(turnsOf(event?.messages)),
    workspace: ctx?.workspaceDir,
  });
  if (!found.ok) api.logger?.warn?.(`reverie: nothing was recalled (${found.error})`);
  return found.ok && found.value.context ? { prependContext: found.value.context } : undefined;
}

const text = (description) => ({ type: "string", description });
const flag = (description) => ({ type: "boolean", description });

// name, what it does, its parameters, those that must be there, and the words for the program; then whether it is optional, and
// what is said on standard input. The last ones change things and are optional: the owner allows them by name in `tools.allow`.
const TOOLS = [
  ["dream_search", "Ask the memory, its archive and its content index, in any language.", { query: text("A question or some words.") }, ["query"], (p) => ["search", "--", p.query]],
  ["dream_status", "How large the memory is, when the last night was, what waits.", {}, [], () => ["status"]],
  ["dream_plan", "What a night would change now, with reasons and sources. Writes nothing.", {}, [], () => ["plan"]],
  ["dream_why", "The story of a line of the memory, by its id or its words.", { line: text("Eight hex digits, or words.") }, ["line"], (p) => ["why", "--", p.line]],
  ["dream_note", "Write one statement into today's note; a decision or a new project goes into MEMORY.md at once.", { text: text("One statement, in the owner's words.") }, ["text"], (p) => ["note", "--as", "agent", "--", p.text]],
  ["dream_brief", "What the next night has to decide on, for you to judge: instructions, the memory and what is new, as one text.", {}, [], () => ["brief"]],
  ["dream_answer", "Answer dream_brief. What passes is kept for the next night; what is refused is named with its reason: correct it.", { operations: { type: "array", items: { type: "object" }, description: "The operations, as dream_brief says." }, diary: text("A few sentences about the night, if you like.") }, ["operations"], () => ["answer", "-"], false, (p) => JSON.stringify({ operations: p.operations, diary: p.diary || "" })],
  ["dream_review", "The night: tidy MEMORY.md, archive what leaves. A dry run unless apply is true.", { apply: flag("Let it write.") }, [], (p) => (p.apply === true ? ["review"] : ["review", "--dry-run"])],
  ["dream_approve", "Apply the proposal that waits. Only when the owner said so.", { only: { type: "array", items: { type: "string" }, description: "Only these items." } }, [], (p) => ["apply", ...(p.only || []).flatMap((id) => ["--only", String(id)])], true],
  ["dream_undo", "Take a run back, byte for byte.", { run: text("Its number or id; without it, the newest.") }, [], (p) => ["undo", "--", ...(p.run ? [p.run] : [])], true],
  ["dream_forget", "Take what a description means out of memory and notes.", { description: text("What is meant."), forever: flag("It never comes back.") }, ["description"], (p) => ["forget", ...(p.forever === true ? ["--forever"] : []), "--", p.description], true],
];

function registerTools(api, settings) {
  for (const [name, description, properties, required, words, optional = false, input = () => ""] of TOOLS) {
    const make = (ctx) => ({
      name,
      label: name,
      description,
      parameters: { type: "object", properties, required, additionalProperties: false },
      async execute(_id, params) {
        const found = await ask(settings, words(params || {}), { workspace: ctx?.workspaceDir, input: input(params || {}) });
        const told = found.ok ? JSON.stringify(found.value) : found.error;
        return { content: [{ type: "text", text: told }], details: found.ok ? found.value : { error: found.error } };
      },
    });
    api.registerTool(make, { name, names: [name], optional });
  }
}

const VERBS = { status: ["status"], on: ["on"], off: ["off"], plan: ["plan", "--prose"], run: ["review"], undo: ["undo"], doctor: ["doctor"], due: ["due"] };
const HELP = `/dreaming ${Object.keys(VERBS).join("|")}`;

/** What the program prints for people, because a person asks. */
function tell(settings, words, workspace) {
  const where = settings.workspace || workspace;
  const args = [words[0], ...(where ? ["--workspace", where] : []), ...words.slice(1)];
  return new Promise((resolve) => {
    execFile(settings.command || "dream", args, { timeout: WORK, maxBuffer: 4 * 1024 * 1024, encoding: "utf8" }, (error, stdout, stderr) => {
      resolve(String(stdout || stderr || error?.message || "Done.").trim());
    });
  });
}

function registerCommand(api, settings) {
  const handler = async (ctx) => {
    const word = String(ctx?.args ?? "").trim().split(/\s+/)[0] || "status";
    return { text: VERBS[word] ? await tell(settings, VERBS[word], ctx?.workspaceDir) : HELP };
  };
  // OpenClaw's own memory plugin holds /dreaming while it is on; ours then answers to /reverie alone.
  const plugins = api.config?.plugins ?? {};
  const theirs = plugins.entries?.["memory-core"]?.enabled !== false && (plugins.slots?.memory ?? "memory-core") === "memory-core";
  for (const name of theirs ? ["reverie"] : ["dreaming", "reverie"]) {
    api.registerCommand({ name, description: "Reverie: the memory's nights.", acceptsArgs: true, requireAuth: true, handler });
  }
}

export default {
  id: "reverie",
  name: "Reverie",
  description: "A night's sleep for the memory.",
  register(api) {
    const settings = api.pluginConfig ?? {};
    if (settings.recall !== false) api.on("before_prompt_build", (event, ctx) => recall(api, settings, event, ctx));
    registerTools(api, settings);
    registerCommand(api, settings);
  },
};
