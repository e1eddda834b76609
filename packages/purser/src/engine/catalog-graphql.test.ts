// GraphQL over HTTP about a ClusterCatalog of a running instance, with the gate of OLM v1 and without it.
import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { Counters } from "@purser/kubernetes/kube/counters";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { clusterCatalogs } from "../apis/olm-resources.ts";
import { improved } from "../compat.ts";
import { defaultGates, parseFeatureGates } from "../feature-gates.ts";
import { startCatalogServing } from "./serving/catalog-serving.ts";
import { World } from "./testing/world.ts";

let world: World;

before(async () => {
  world = await World.open();
  await world.reaches(
    clusterCatalogs,
    { name: "demo" },
    "served",
    ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Serving" && is === "True") === true,
  );
});
after(() => world?.stop());

/** The origin of the catalogs, once the content has been read. */
async function served(context: TestContext, gates: string): Promise<string> {
  const parsed = parseFeatureGates(gates);
  assert.ok(parsed.ok);
  const content = world.openDirectories();
  context.after(() => content.stop());
  const started = await startCatalogServing(
    { host: "127.0.0.1", port: 0, gates: parsed.value },
    {
      reader: world.client,
      content,
      clock: systemClock,
      entropy: systemEntropy,
      log: () => undefined,
      metrics: new Counters(),
      compat: improved,
    },
  );
  assert.ok(started.ok, JSON.stringify(started));
  context.after(() => started.value.stop());
  const origin = `${started.value.origin}/catalogs/demo/api/v1`;
  await world.until("the content", async () => ((await fetch(`${origin}/all`)).status === 200 ? true : undefined));
  return origin;
}

const post = (url: string, body: string): Promise<Response> => fetch(url, { method: "POST", body });

test("with the gate, a query about a ClusterCatalog is answered in JSON", async (context) => {
  const origin = await served(context, "GraphQLCatalogQueries=true");
  const answer = await post(`${origin}/graphql`, '{"query":"{olmpackages(limit:1){name schema}}"}');
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "application/json"]);
  const line = (await (await fetch(`${origin}/metas?schema=olm.package`)).text()).split("\n", 1)[0] ?? "";
  const { name } = JSON.parse(line) as { readonly name: string };
  assert.deepEqual(await answer.json(), { data: { olmpackages: [{ name, schema: "olm.package" }] } });
  const large = await post(`${origin}/graphql`, `{"query":"{a}"}${" ".repeat(2 ** 21)}`);
  assert.deepEqual([large.status, await large.text()], [400, "Invalid request body\n"]);
  const other = await post(`${origin.replace("demo", "other")}/graphql`, '{"query":"{a}"}');
  assert.deepEqual([other.status, await other.text()], [404, "404 Not Found\n"]);
});

test("without the gate, there is no such page", async (context) => {
  const origin = await served(context, "APIV1MetasHandler=false");
  const answer = await post(`${origin}/graphql`, '{"query":"{olmpackages{name}}"}');
  assert.deepEqual([answer.status, await answer.text()], [404, "404 page not found\n"]);
  assert.equal((await fetch(`${origin}/metas`)).status, 404);
});

const refused: readonly (readonly [gates: string, problem: string])[] = [
  ["GraphQL=true", `unknown feature gate "GraphQL"; known: ${Object.keys(defaultGates).join(", ")}`],
  ["toString=true", `unknown feature gate "toString"; known: ${Object.keys(defaultGates).join(", ")}`],
  [
    "GraphQLCatalogQueries",
    'feature gate "GraphQLCatalogQueries": write GraphQLCatalogQueries=true or GraphQLCatalogQueries=false',
  ],
  [
    "GraphQLCatalogQueries=yes",
    'feature gate "GraphQLCatalogQueries=yes": write GraphQLCatalogQueries=true or GraphQLCatalogQueries=false',
  ],
  [
    "GraphQLCatalogQueries=true=1",
    'feature gate "GraphQLCatalogQueries=true=1": write GraphQLCatalogQueries=true or GraphQLCatalogQueries=false',
  ],
];
for (const [gates, problem] of refused)
  test(`--feature-gates ${gates} is refused`, () => {
    const parsed = parseFeatureGates(gates);
    assert.equal(parsed.ok ? "" : parsed.problem, problem);
  });

test("the last of two gates of one name counts, and no text leaves the defaults", () => {
  assert.deepEqual(parseFeatureGates("GraphQLCatalogQueries=true, GraphQLCatalogQueries=f ,"), parseFeatureGates(""));
  const off = parseFeatureGates("");
  assert.deepEqual(off.ok && [off.value.APIV1MetasHandler, off.value.GraphQLCatalogQueries], [true, false]);
});
