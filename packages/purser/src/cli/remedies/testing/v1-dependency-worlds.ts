import { creates, extension, extensionAlone, type LiveWorld, space, steps, until } from "./live-world.ts";

const asked = (name: string) => ["explain", `ext/${name}`];
const annotated = (object: object, annotations: object): object => {
  const one = object as { readonly metadata: object };
  return { ...one, metadata: { ...one.metadata, annotations } };
};
/** An extension of a package that has installed what its bundle requires. */
const wanting = (name: string, catalog: object = {}): object =>
  annotated(extensionAlone(name, catalog), { "purser.dev/dependencies": "install" });
const namespaced = (name: string, spec: object): object => extensionAlone(name, {}, spec);

/** What an extension requires is on its way, or does not go on without a person. */
export const v1DependencyWorlds: readonly LiveWorld[] = [
  {
    name: "a ClusterExtension whose dependency is being installed",
    objects: [space("lean-system", { "sim/result": "never-ready" }), wanting("lean")],
    asked: asked("lean"),
    says: /is being installed for it/,
  },
  {
    name: "a ClusterExtension whose dependency is paused",
    objects: [
      space("lean-system"),
      annotated(namespaced("kiln", { namespace: "lean-system" }), { "purser.dev/paused": "true" }),
      wanting("lean"),
    ],
    asked: asked("lean"),
    says: /it is paused/,
  },
  {
    name: "a ClusterExtension whose dependency requires it",
    objects: [space("hen-system"), wanting("hen")],
    asked: asked("egg"),
    says: /it requires egg itself/,
  },
  {
    name: "a ClusterExtension whose dependency is stuck",
    objects: [space("leaning-system"), wanting("leaning")],
    asked: asked("leaning"),
    says: /pulled, which is to provide it, is stuck/,
  },
  {
    name: "a ClusterExtension whose dependency is pinned to a version that does not meet the requirement",
    objects: extension("greedy", { version: "1.0.0" }),
    next: steps(until(["status", "ext/greedy"], /Ready|Update/), creates(space("upper-system"), wanting("upper"))),
    asked: asked("upper"),
    says: /greedy\.v1\.0\.0 does not provide it/,
  },
];
