import fc from "fast-check";
import type { ShortExtension, ShortNamespace } from "../../../resolver/testing/short-world.ts";

/** A world in shorthand, most of which fail. */
export type RandomWorld =
  | { readonly kind: "v0"; readonly world: ShortNamespace }
  | { readonly kind: "v1"; readonly world: ShortExtension };

const packages = ["kiln", "pot", "glaze"] as const;

const line = (name: string, minor: number, rest: string): string =>
  `${name}.v1.${minor}.0 1.${minor}.0${minor === 0 ? "" : ` r=${name}.v1.${minor - 1}.0`}${rest}`;

/** One package with a channel of up to three versions, the newest of which may require something. */
const offered = (name: string): fc.Arbitrary<Readonly<Record<string, readonly string[]>>> =>
  fc
    .record({
      channel: fc.constantFrom("stable", "beta"),
      newest: fc.nat(2),
      requires: fc.constantFrom("", "", " dep=pot:>=1.1.0", " dep=pot:>=9.0.0", " dep=absent:>=1.0.0", " R=Database"),
      provides: fc.constantFrom("", "", " P=Database", " P=Kiln"),
    })
    .map(({ channel, newest, requires, provides }) => ({
      [`${name}/${channel}`]: Array.from({ length: newest + 1 }, (_, minor) =>
        line(name, minor, `${provides}${minor === newest ? requires : ""}`),
      ),
    }));

const catalog = fc
  .tuple(...packages.map((name) => fc.option(offered(name), { nil: {}, freq: 5 })))
  .map((all) => Object.assign({}, ...all) as Readonly<Record<string, readonly string[]>>);
const content = fc.oneof({ weight: 9, arbitrary: catalog }, { weight: 1, arbitrary: fc.constant("timeout") });

const subscription = fc
  .record({
    name: fc.constantFrom(...packages, "kilm", "nothing"),
    channel: fc.constantFrom("stable", "stable", "beta", "stabel"),
    from: fc.constantFrom("", "", "", " from=olm/other", " from=olm/kat", " from=far/cat"),
    start: fc.constantFrom("", "", "", "0", "7"),
  })
  .map(
    ({ name, channel, from, start }) =>
      `${name} ${name}/${channel}${from}${start === "" ? "" : ` start=${name}.v1.${start}.0`}`,
  );

const v0 = fc
  .record({
    cat: content,
    other: fc.option(content, { nil: undefined, freq: 2 }),
    subscriptions: fc.uniqueArray(subscription, {
      minLength: 1,
      maxLength: 2,
      selector: (text) => text.split(" ")[0],
    }),
    groups: fc.constantFrom(["og"], ["og"], ["og"], [], ["one", "two"], ["og excluded"]),
    installed: fc.constantFrom([], [], ["old.v1.0.0 1.0.0 old P=Database"]),
  })
  .map(({ cat, other, ...rest }): RandomWorld => ({
    kind: "v0",
    world: { catalogs: { "olm/cat": cat, ...(other === undefined ? {} : { "olm/other": other }) }, ...rest },
  }));

const v1 = fc
  .record({
    cat: content,
    state: fc.constantFrom("", "", "", " off"),
    other: fc.option(content, { nil: undefined, freq: 2 }),
    packageName: fc.constantFrom(...packages, "kilm", "nothing"),
    version: fc.constantFrom(undefined, undefined, "1.0.0", "1.1.0", ">=9", "3.0.0"),
    channels: fc.constantFrom(undefined, undefined, ["stable"], ["beta"], ["stabel"]),
    installed: fc.constantFrom(undefined, undefined, 0, 1),
  })
  .map(({ cat, state, other, packageName, version, channels, installed }): RandomWorld => ({
    kind: "v1",
    world: {
      catalogs: { [`cat${state}`]: cat, ...(other === undefined ? {} : { other }) },
      extension: {
        packageName,
        ...(version === undefined ? {} : { version }),
        ...(channels === undefined ? {} : { channels }),
      },
      ...(installed === undefined
        ? {}
        : { installed: { name: `${packageName}.v1.${installed}.0`, version: `1.${installed}.0` } }),
    },
  }));

/** `count` worlds of both families; the same for one seed. */
export const randomWorlds = (seed: number, count: number): readonly RandomWorld[] =>
  fc.sample(fc.oneof(v0, v1), { seed, numRuns: count });
