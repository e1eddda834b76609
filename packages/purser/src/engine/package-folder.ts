import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * The folder that holds `package.json`, `crds` and `demo`: the checkout when sources run, the installed
 * package when the bundle does.
 */
export function packageFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "crds")) && existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder)
      throw new Error(`No folder with crds/ above "${import.meta.dirname}": the installation is damaged`);
  }
}

/** Where the manifests of our CustomResourceDefinitions lie: `kubectl apply -f` takes it. */
export function crdsFolder(): string {
  return join(packageFolder(), "crds");
}

/** The folder whose `npm start` and `npm run purser` run the sources: the root of the checkout. An installed package has none. */
export function scriptsFolder(): string {
  return resolve(packageFolder(), "../..");
}
