import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { runPurser } from "../src/cli/testing/run-purser.ts";
import { startLocalRegistry } from "../src/image/build/testing/local-registry.ts";
import { missingTools } from "../src/image/build/testing/tools-on-path.ts";
import { FaultRegistry } from "../src/image/testing/fault-registry.ts";
import { purser } from "./purser-process.ts";

/** Catalogs and bundles that exist as images only. */
export interface PushedImages {
  /** For a process that pulls them. */
  readonly env: Readonly<Record<string, string>>;
  /** Text of a registries.conf that allows them. */
  readonly registriesConf: string;
  /** Pushes the catalog at `path` with all images of bundles in this registry; returns the reference of its image. */
  pushCatalog(name: string, path: string): Promise<string>;
  /** Pushes `<package>/<version>` of `bundles` for every version of these packages. */
  pushBundles(bundles: string, packages: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts `docker-registry`, or a registry in this process where that is not on the PATH. Catalogs are pushed by the built
 * product; bundles, of which there are many, by its command in this process, as each start costs more than a push.
 * @param directory for configuration and for copies of catalogs
 */
export async function startPushedImages(directory: string): Promise<PushedImages> {
  const { host, stop } = await startRegistry();
  mkdirSync(directory, { recursive: true });
  const configuration = join(directory, "registries.conf");
  const registriesConf = `[[registry]]\nlocation = "${host}"\ninsecure = true\n`;
  writeFileSync(configuration, registriesConf);
  const env = { CONTAINERS_REGISTRIES_CONF: configuration, HOME: directory, XDG_RUNTIME_DIR: directory };

  return {
    env,
    registriesConf,
    async pushCatalog(name, path) {
      const reference = `${host}/catalogs/${name}:latest`;
      const args = ["catalog", "push", copyCatalog(path, join(directory, name), host), reference];
      const { code, stderr } = await purser(args, env);
      if (code !== 0) throw new Error(`purser ${args.join(" ")} ended with ${code}: ${stderr}`);
      return reference;
    },
    async pushBundles(bundles, packages) {
      for (const packageName of packages)
        for (const version of readdirSync(join(bundles, packageName))) {
          const path = join(bundles, packageName, version);
          const args = ["bundle", "push", path, `${host}/bundles/${packageName}:${version}`];
          const { exitCode, errors } = await runPurser(args, { env });
          if (exitCode !== 0) throw new Error(`purser ${args.join(" ")} ended with ${exitCode}: ${errors}`);
        }
    },
    stop,
  };
}

/** Copies the catalog at `path` so that the image of every bundle is `<place>/bundles/<package>:<version>`; returns `copy`. */
export function copyCatalog(path: string, copy: string, place: string): string {
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const target = join(copy, relative(path, file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, withImagesAt(place, readFileSync(file, "utf8")));
  }
  return copy;
}

function withImagesAt(place: string, text: string): string {
  return text
    .split(/^---$/m)
    .map((document) => {
      const [, name = "", version = ""] = /^name: (.*?)\.v(.*)$/m.exec(document) ?? [];
      return document.replace(/^image: .*$/m, `image: ${place}/bundles/${name}:${version}`);
    })
    .join("---")
    .replaceAll('"local.purser.dev/bundles/', `"${place}/bundles/`);
}

async function startRegistry(): Promise<{ readonly host: string; readonly stop: () => Promise<void> }> {
  if (missingTools("docker-registry") === false) return startLocalRegistry();
  const registry = await FaultRegistry.start();
  return { host: registry.host, stop: () => registry[Symbol.asyncDispose]() };
}
