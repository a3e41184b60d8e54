// A small host for the plugin: it remembers what is registered and calls it as OpenClaw would. Prints JSON.
import { pathToFileURL } from "node:url";

const [file, given] = [process.argv[2], JSON.parse(process.argv[3])];
const plugin = (await import(pathToFileURL(file).href)).default;
const seen = { hooks: {}, tools: {}, commands: {}, warnings: [] };
plugin.register({
  config: given.config ?? {},
  pluginConfig: given.pluginConfig,
  logger: { warn: (words) => seen.warnings.push(words) },
  on: (name, handler) => (seen.hooks[name] = handler),
  registerTool: (make, options) => (seen.tools[make(given.ctx ?? {}).name] = { tool: make(given.ctx ?? {}), options }),
  registerCommand: (command) => (seen.commands[command.name] = command),
});
const answers = [];
for (const [kind, name, first, second] of given.ask ?? []) {
  if (kind === "hook") answers.push((await seen.hooks[name]?.(first, second)) ?? null);
  if (kind === "tool") answers.push(await seen.tools[name].tool.execute("id", first));
  if (kind === "command") answers.push(await seen.commands[name].handler(first));
}
const tools = Object.fromEntries(Object.entries(seen.tools).map(([name, { tool, options }]) => [name, { optional: options.optional, required: tool.parameters.required, known: Object.keys(tool.parameters.properties) }]));
console.log(JSON.stringify({ id: plugin.id, hooks: Object.keys(seen.hooks), tools, commands: Object.keys(seen.commands), warnings: seen.warnings, answers }));
