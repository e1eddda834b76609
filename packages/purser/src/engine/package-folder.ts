import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * The directory with `package.json`, `crds` and `demo`: in the checkout when the sources run, in the installed package
 * when the bundled program runs.
 */
export function packageFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "crds")) && existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder)
      throw new Error(`No directory with crds/ above "${import.meta.dirname}": the installation is damaged`);
  }
}

/** The directory of the manifests of our CRDs, for `kubectl apply -f`. */
export function crdsFolder(): string {
  return join(packageFolder(), "crds");
}

/** The root of the checkout, whose scripts `npm start` and `npm run purser` run the sources. */
export function scriptsFolder(): string {
  return resolve(packageFolder(), "../..");
}
