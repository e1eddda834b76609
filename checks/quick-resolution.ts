// Loaded with `--import` before every test file. A test with an engine loads a thousand modules, and Node looks for the
// package.json of each of them several times: half of the work of loading them. In this repository every request that is
// a path names a TypeScript module, and a package's name means the same in each file of a package.
import { registerHooks } from "node:module";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";

const packages = `${pathToFileURL(`${import.meta.dirname}/../packages`).href}/`;
const protocol = "file://";

interface Resolved {
  readonly url: string;
  readonly format: string | null | undefined;
  readonly shortCircuit: true;
}

/** By directory of the asking package, kind of request and name. */
const known = new Map<string, Resolved>();

registerHooks({
  resolve(request, context, next) {
    const { parentURL: asking, conditions } = context;
    if (asking?.startsWith(packages) !== true) return next(request, context);
    if (request.startsWith("./") || request.startsWith("../")) {
      if (!request.endsWith(".ts")) return next(request, context);
      const path = posix.join(posix.dirname(asking.slice(protocol.length)), request);
      return { url: protocol + path, format: "module-typescript", shortCircuit: true };
    }
    const directory = asking.slice(packages.length, asking.indexOf("/", packages.length));
    const key = `${directory} ${conditions.join()} ${request}`;
    let found = known.get(key);
    if (found === undefined) {
      const { url, format } = next(request, context);
      found = { url, format, shortCircuit: true };
      known.set(key, found);
    }
    return found;
  },
});
