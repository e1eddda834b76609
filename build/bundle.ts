// `npm run build`: one JavaScript file per entrance in dist/, so that the published package starts fast and has no dependencies.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

const bundle = await rolldown({
  input: { cli: join(root, "src/cli/main.ts"), "index-builder": join(root, "src/catalog-store/index-builder.ts") },
  platform: "node",
  transform: { define: { "globalThis.PURSER_VERSION": JSON.stringify(version) } },
  onLog(level, log, report) {
    if (level === "warn" && log.code === "EVAL") return;
    report(level, log);
  },
});
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunk-[name].js",
  minify: "dce-only",
});

copyFileSync(join(root, "build/launcher.js"), join(dist, "purser.js"));
chmodSync(join(dist, "purser.js"), 0o755);

/** Every package whose code was bundled, with the licence it ships. */
const bundled = new Set<string>();
for (const chunk of output) {
  if (chunk.type !== "chunk") continue;
  for (const id of Object.keys(chunk.modules)) {
    const inside = id.split("/node_modules/").at(-1);
    if (inside === undefined || inside === id) continue;
    const [scope = "", name = ""] = inside.split("/");
    bundled.add(scope.startsWith("@") ? `${scope}/${name}` : scope);
  }
}
const notices = [...bundled].sort().map((name) => {
  const folder = join(root, "node_modules", name);
  if (!existsSync(folder)) return name;
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    version: string;
    license?: string;
  };
  const text = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  const body = text === undefined ? "" : `\n\n${readFileSync(join(folder, text), "utf8").trim()}`;
  return `${name} ${manifest.version} (${manifest.license ?? "see its text"})${body}`;
});
writeFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), `${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);

for (const file of readdirSync(dist))
  console.log(`dist/${file}  ${Math.round(readFileSync(join(dist, file)).length / 1024)} kB`);
