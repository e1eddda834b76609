import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * The directory with `package.json`, `crds` and `demo`: in the checkout when the sources run, in the installed package
 * when the bundled program runs.
 */
export function packageDirectory(): string {
  for (let directory = import.meta.dirname; ; directory = dirname(directory)) {
    if (existsSync(join(directory, "crds")) && existsSync(join(directory, "package.json"))) return directory;
    if (dirname(directory) === directory)
      throw new Error(`No directory with crds/ above "${import.meta.dirname}": the installation is damaged`);
  }
}

/** The directory of the manifests of our CRDs, for `kubectl apply -f`. */
export function crdsDirectory(): string {
  return join(packageDirectory(), "crds");
}

/** The root of the checkout, whose scripts `npm start` and `npm run purser` run the sources. */
export function scriptsDirectory(): string {
  return resolve(packageDirectory(), "../..");
}
