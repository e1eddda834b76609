// An export without an importer, or with tests as its only importers, is dead code.
import type { Package, SourceFile } from "./source-files.ts";

/** A sentence for each export without a product caller. `entries`: files whose exports are for callers outside. */
export function deadExports(files: readonly SourceFile[], entries: ReadonlySet<string>): readonly string[] {
  const users = new Map<string, SourceFile[]>();
  const all = new Map<string, SourceFile[]>();
  for (const file of files)
    for (const { target, names } of file.imports) {
      if (target === undefined) continue;
      if (names === undefined) add(all, target, file);
      for (const name of names ?? []) add(users, `${target} ${name}`, file);
    }
  return files.flatMap(({ path, isTest, exports }) =>
    exports.flatMap(({ name, isType, isUsedInside, isForTests }) => {
      if (entries.has(path)) return [];
      const by = [...(users.get(`${path} ${name}`) ?? []), ...(all.get(path) ?? [])];
      const hasCaller = by.some((user) => !user.isTest);
      if (isForTests && hasCaller) return [`${path}: "${name}" is marked @testOnly and used by the product`];
      if (isTest || isForTests)
        return by.length > 0 || (isType && isUsedInside) ? [] : [unused(path, name, isUsedInside)];
      // A type may be exported to name a parameter or a result of an exported function.
      if (hasCaller || (isType && isUsedInside)) return [];
      if (by.length === 0) return [unused(path, name, isUsedInside)];
      return isUsedInside ? [] : [`${path}: only tests use "${name}": delete it, or say @testOnly and why`];
    }),
  );
}

const unused = (path: string, name: string, isUsedInside: boolean): string =>
  `${path}: no file imports "${name}": ${isUsedInside ? "do not export it" : "delete it"}`;

/** A sentence for each entry of a package's `exports` that no other package needs, or that only tests need. */
export function deadEntries(files: readonly SourceFile[], packages: readonly Package[]): readonly string[] {
  return packages.flatMap(({ name, directory, exports }) =>
    Object.entries(exports).flatMap(([entry, file]) => {
      if (entry === ".") return [];
      const request = `${name}${entry.slice(1)}`;
      const target = `packages/${directory}/${file.replace(/^\.\//, "")}`;
      const users = files.filter(
        ({ path, imports }) =>
          !path.startsWith(`packages/${directory}/`) &&
          imports.some((one) => one.request === request && one.target === target),
      );
      const isForTests = entry.startsWith("./testing/");
      if (users.length === 0) return [`${name} exports "${entry}", and no other package imports it`];
      const caller = users.find((user) => !user.isTest);
      if (isForTests && caller !== undefined) return [`${caller.path}: imports "${request}", which is for tests`];
      return isForTests || caller !== undefined
        ? []
        : [`${name} exports "${entry}", and only tests import it: export it as "./testing/..."`];
    }),
  );
}

/** A sentence for each function and class of a package's surface without a docstring; entries for tests do not count. */
export function undocumented(files: readonly SourceFile[], packages: readonly Package[]): readonly string[] {
  const surface = new Set(
    packages.flatMap(({ directory, exports }) =>
      Object.entries(exports)
        .filter(([entry]) => !entry.startsWith("./testing/"))
        .map(([, file]) => `packages/${directory}/${file.replace(/^\.\//, "")}`),
    ),
  );
  return files.flatMap(({ path, exports }) =>
    exports
      .filter(({ lacksDocstring }) => lacksDocstring && surface.has(path))
      .map(({ name }) => `${path}: other packages import this file, and "${name}" has no docstring`),
  );
}

function add(lists: Map<string, SourceFile[]>, key: string, file: SourceFile): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [file]);
  else list.push(file);
}
