// Reverie for OpenClaw: recall before a reply, and /dreaming. Both ask the program `dream`; nothing is decided here, and
// whatever goes wrong, the reply goes on without us. The tools come from `dream mcp`.

import { execFile } from "node:child_process";

const LONGEST = 8000; // characters of a message
const TURNS = 8; // before the message, of at most 1,000 characters each

/** What the program prints; empty where it fails or is late. */
function ask(settings, words, { input = "", timeout, errors = false }) {
  const options = { timeout, maxBuffer: 4 * 1024 * 1024, windowsHide: true, encoding: "utf8" };
  return new Promise((resolve) => {
    const done = (error, out, err) => resolve(String(out || (errors ? err || error?.message : "") || "").trim());
    const child = execFile(settings.command || "dream", words, options, done);
    child.stdin?.on("error", () => {}); // it may end before it has read
    child.stdin?.end(input);
  });
}

function wordsOf(message) {
  const content = message?.content;
  const parts = Array.isArray(content) ? content.filter((part) => part?.type === "text").map((part) => part.text) : [content];
  return parts.filter((part) => typeof part === "string").join("\n");
}

async function recall(settings, event, context) {
  if (context?.trigger && context.trigger !== "user") return undefined; // cron and heartbeats remember for nobody
  const turns = (Array.isArray(event?.messages) ? event.messages : [])
    .filter((message) => message?.role === "user" || message?.role === "assistant")
    .slice(-TURNS)
    .map((message) => ({ role: message.role, text: wordsOf(message).slice(0, 1000) }));
  const prompt = String(event?.currentUserMessage ?? event?.prompt ?? "").slice(0, LONGEST);
  const input = JSON.stringify({ hook_event_name: "before_prompt_build", prompt, turns, session: context?.sessionKey, agent: context?.agentId });
  const workspace = settings.workspace || context?.workspaceDir;
  const said = await ask(settings, ["hook", "openclaw", ...(workspace ? ["-w", workspace] : [])], { input, timeout: 6000 });
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

export default {
  id: "reverie",
  name: "Reverie",
  description: "A night's sleep for the memory.",
  register(api) {
    const settings = api.pluginConfig ?? {};
    api.on("before_prompt_build", (event, context) => recall(settings, event, context));
    const handler = async (context) => {
      const [word = "status"] = String(context?.args ?? "").trim().split(/\s+/).filter((part) => /^\w+$/.test(part));
      const workspace = settings.workspace || context?.workspaceDir;
      const words = ["dreaming", word, ...(workspace ? ["-w", workspace] : [])];
      return { text: (await ask(settings, words, { timeout: 120000, errors: true })) || "Done." };
    };
    // OpenClaw's own memory plugin holds /dreaming while it is on; ours then answers to /reverie alone.
    const plugins = api.config?.plugins ?? {};
    const theirs = plugins.entries?.["memory-core"]?.enabled !== false && (plugins.slots?.memory ?? "memory-core") === "memory-core";
    for (const name of theirs ? ["reverie"] : ["dreaming", "reverie"]) {
      api.registerCommand({ name, description: "The memory's nights.", acceptsArgs: true, requireAuth: true, handler });
    }
  },
};
