// A small OpenClaw for the plugin: remembers what is registered, and calls it. Prints JSON.
import { pathToFileURL } from "node:url";

const [file, given] = [process.argv[2], JSON.parse(process.argv[3])];
const plugin = (await import(pathToFileURL(file).href)).default;
const hooks = {}, commands = {}, answers = [];
plugin.register({
  config: given.config ?? {},
  pluginConfig: given.settings,
  on: (name, handler) => (hooks[name] = handler),
  registerCommand: (command) => (commands[command.name] = command),
});
for (const [kind, name, ...words] of given.ask ?? []) {
  answers.push((await (kind === "hook" ? hooks[name](...words) : commands[name].handler(...words))) ?? null);
}
console.log(JSON.stringify({ commands: Object.keys(commands), answers }));
