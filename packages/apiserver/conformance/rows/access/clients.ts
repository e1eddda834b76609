import assert from "node:assert/strict";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { createClient } from "@purser/kubernetes/kube/client";
import { Counters } from "@purser/kubernetes/kube/counters";
import { Informer, type ObjectChange } from "@purser/kubernetes/testing/informer";
import { silent } from "@purser/kubernetes/kube/log";
import type { ApiRequest, Transport } from "@purser/kubernetes/kube/transport";
import { kubernetesProtobuf, message } from "../../protobuf-text.ts";
import { lineOf, Reflector } from "../../reflector.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, CannotShow, type Row } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, configMap, itemsOf, text } from "../../scene.ts";

const admission = "/apis/admissionregistration.k8s.io/v1";
const protobuf = { "content-type": "application/vnd.kubernetes.protobuf" };
const tableOnly = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const metadataOnly = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };

/** An informer for the case's ConfigMaps. */
function informerOf(scene: Scene, transport: Transport): Informer {
  const client = createClient(transport, { userAgent: "conformance/1" });
  const ports = { clock: systemClock, entropy: systemEntropy, log: silent, metrics: new Counters() };
  const informer = new Informer(configMaps, { namespace: scene.ns }, "whole", { client, ...ports });
  scene.atEnd(() => informer.stop());
  return informer;
}

/** Names and values of the informer's objects, without kube-root-ca.crt. */
function held(informer: Informer): readonly string[] {
  return informer.store
    .list()
    .map((object) => `${object.metadata.name ?? ""}=${JSON.stringify(at(object as never, "data") ?? {})}`)
    .filter((line) => !line.startsWith("kube-root-ca.crt"))
    .toSorted();
}

function said({ before, after }: ObjectChange): string {
  const name = (before ?? after)?.metadata.name ?? "";
  return `${before === undefined ? "add" : after === undefined ? "delete" : "update"} ${name}`;
}

export const clientRows: readonly Row[] = [
  {
    row: 21,
    name: "a body in protobuf is stored as its JSON form",
    run: async (scene) => {
      const raw = message(
        [1, message([1, "pb"], [2, ""], [3, scene.ns], [11, message([1, "app"], [2, "x"])])],
        [2, message([1, "k"], [2, "v"])],
      );
      const made = await scene.ask({
        method: "POST",
        path: scene.cms,
        body: kubernetesProtobuf("v1", "ConfigMap", raw),
        headers: protobuf,
      });
      assert.equal(made.code, 201, made.text);
      const json = await scene.make("json", { metadata: { labels: { app: "x" } }, data: { k: "v" } });
      const stored = await scene.ok({ path: `${scene.cms}/pb` });
      const partsOf = (object: typeof json): unknown => [at(object, "data"), at(object, "metadata", "labels")];
      assert.deepEqual(partsOf(stored), partsOf(json));
      assert.deepEqual(Object.keys(stored).toSorted(), Object.keys(json).toSorted());
    },
  },
  {
    row: 22,
    name: "DELETE reads its options in protobuf",
    run: async (scene) => {
      await scene.make("x", { metadata: { finalizers: ["x.io/a"] } });
      const raw = message([4, "Foreground"]);
      const answer = await scene.ask({
        method: "DELETE",
        path: `${scene.cms}/x`,
        body: kubernetesProtobuf("v1", "DeleteOptions", raw),
        headers: protobuf,
      });
      assert.equal(answer.code, 200, answer.text);
      assert.deepEqual(at(answer.object, "metadata", "finalizers"), ["x.io/a", "foregroundDeletion"]);
      await scene.merge(`${scene.cms}/x`, { metadata: { finalizers: null } });
    },
  },
  {
    row: 21,
    name: "webhook configurations in protobuf are stored",
    run: async (scene) => {
      const rule = message([1, "CREATE"], [2, message([1, ""], [2, "v1"], [3, "secrets"])]);
      const webhook = message(
        [1, "a.example.com"],
        [2, message([3, "https://127.0.0.1:1"])],
        [3, rule],
        [4, "Ignore"],
        [6, "None"],
        [8, "v1"],
      );
      const answer = await scene.ask({
        method: "POST",
        path: `${admission}/validatingwebhookconfigurations?dryRun=All`,
        body: kubernetesProtobuf(
          "admissionregistration.k8s.io/v1",
          "ValidatingWebhookConfiguration",
          message([1, message([1, scene.ns])], [2, webhook]),
        ),
        headers: protobuf,
      });
      assert.equal(answer.code, 201, answer.text);
      assertContains((at(answer.object, "webhooks") as readonly JsonObject[])[0], {
        name: "a.example.com",
        clientConfig: { url: "https://127.0.0.1:1" },
        rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["secrets"], scope: "*" }],
        sideEffects: "None",
      });
    },
  },
  {
    row: 21,
    name: "policies with expressions in protobuf are stored",
    run: async (scene) => {
      const rule = message([1, "CREATE"], [2, message([1, ""], [2, "v1"], [3, "secrets"])]);
      const spec = message(
        [2, message([3, message([2, rule])])],
        [3, message([1, "variables.a != 'x'"])],
        [7, message([1, "a"], [2, "object.metadata.name"])],
      );
      const answer = await scene.ask({
        method: "POST",
        path: `${admission}/validatingadmissionpolicies?dryRun=All`,
        body: kubernetesProtobuf(
          "admissionregistration.k8s.io/v1",
          "ValidatingAdmissionPolicy",
          message([1, message([1, scene.ns])], [2, spec]),
        ),
        headers: protobuf,
      });
      assert.equal(answer.code, 201, answer.text);
      assertContains(at(answer.object, "spec"), {
        variables: [{ name: "a", expression: "object.metadata.name" }],
        validations: [{ expression: "variables.a != 'x'" }],
      });
    },
  },
  {
    row: 21,
    name: "a protobuf body with a field of a wrong wire type is refused",
    run: async (scene) => {
      const body = kubernetesProtobuf("v1", "ConfigMap", "\u0010\u0001");
      const answer = await scene.ask({ method: "POST", path: scene.cms, body, headers: protobuf });
      assert.deepEqual(
        [answer.code, answer.message],
        [400, 'ConfigMap in version "v1" cannot be handled as a ConfigMap: proto: wrong wireType = 0 for field Data'],
      );
    },
  },
  {
    row: 34,
    name: "a watch of Tables sends column definitions once",
    run: async (scene) => {
      const watch = await scene.watch(`${scene.cms}?watch=true&fieldSelector=metadata.name=a`, tableOnly);
      const first = (await watch.next())?.object as unknown as Readonly<Record<string, unknown>>;
      await scene.merge(`${scene.cms}/a`, { data: { k: "w" } });
      const second = (await watch.next())?.object as unknown as Readonly<Record<string, unknown>>;
      assert.deepEqual([first["kind"], second["kind"]], ["Table", "Table"]);
      const columns = first["columnDefinitions"] as readonly { readonly name: string }[];
      assert.deepEqual(
        columns.map(({ name }) => name),
        ["Name", "Data", "Age"],
      );
      assert.equal(second["columnDefinitions"], null);
    },
  },
  {
    row: 133,
    name: "a watch of PartialObjectMetadata sends only metadata",
    run: async (scene) => {
      const watch = await scene.watch(`${scene.cms}?watch=true&fieldSelector=metadata.name=a`, metadataOnly);
      const event = await watch.next();
      assert.equal(event?.type, "ADDED");
      const { kind, apiVersion, metadata, ...rest } = event.object;
      assert.deepEqual([kind, apiVersion, rest], ["PartialObjectMetadata", "meta.k8s.io/v1", {}]);
      assert.equal(metadata.name, "a");
    },
  },
  {
    row: 48,
    name: "a client creates, lists, patches in four ways and watches; an informer sees adds, updates and deletes",
    run: async (scene) => {
      const { signal } = new AbortController();
      const client = createClient(scene.cluster.transport, { userAgent: "conformance/1" });
      const informer = informerOf(scene, scene.cluster.transport);
      const changes: string[] = [];
      informer.listen((change) => changes.push(said(change)));
      await informer.synced();
      const key = { namespace: scene.ns, name: "x" };
      const object = configMap("x", { metadata: { namespace: scene.ns }, data: { a: "1" } }) as unknown as KubeObject;
      assert.ok((await client.write({ verb: "create", type: configMaps, object }, signal)).ok);
      const patch = { type: configMaps, key, verb: "patch" } as const;
      const json = [{ op: "add", path: "/data/b", value: "2" }];
      assert.ok((await client.write({ ...patch, patchType: "json", patch: json }, signal)).ok);
      assert.ok((await client.write({ ...patch, patchType: "merge", patch: { data: { c: "3" } } }, signal)).ok);
      assert.ok((await client.write({ ...patch, patchType: "strategic", patch: { data: { d: "4" } } }, signal)).ok);
      const applied = configMap("x", { metadata: { namespace: scene.ns }, data: { e: "5" } }) as unknown as KubeObject;
      const apply = { verb: "apply", type: configMaps, object: applied, fieldManager: "m", force: false } as const;
      assert.ok((await client.write(apply, signal)).ok);
      const all = { a: "1", b: "2", c: "3", d: "4", e: "5" };
      assert.deepEqual((await client.get(configMaps, key))?.data, all);
      assert.ok((await client.list(configMaps, { namespace: scene.ns })).some(({ metadata }) => metadata.name === "x"));
      assert.ok((await client.write({ verb: "delete", type: configMaps, key }, signal)).ok);
      await eventually(async () => {
        await Promise.resolve();
        assert.deepEqual(
          changes.filter((line) => line.endsWith(" x")),
          ["add x", "update x", "update x", "update x", "update x", "delete x"],
        );
      });
    },
  },
  {
    row: 129,
    name: "an informer recovers from disconnects and expired revisions with the server's state",
    run: async (scene) => {
      let watches = 0;
      let open = new AbortController();
      const lists: string[] = [];
      /** Every second watch starts from an expired revision. */
      const broken: Transport = (request: ApiRequest, signal) => {
        const query = new URLSearchParams(request.query);
        if (query.get("watch") !== "true") {
          lists.push(query.toString());
          return scene.cluster.transport(request, signal);
        }
        if (++watches % 2 === 0) query.set("resourceVersion", "1");
        return scene.cluster.transport({ ...request, query }, AbortSignal.any([signal, open.signal]));
      };
      const informer = informerOf(scene, broken);
      await informer.synced();
      for (const round of [1, 2, 3]) {
        await scene.make(`n${round}`, { data: { v: "1" } });
        await scene.merge(`${scene.cms}/n1`, { data: { v: String(round) } });
        if (round === 2) await scene.ok({ method: "DELETE", path: `${scene.cms}/a` });
        open.abort();
        open = new AbortController();
      }
      await eventually(async () => {
        await Promise.resolve();
        assert.deepEqual(held(informer), ['n1={"v":"3"}', 'n2={"v":"1"}', 'n3={"v":"1"}']);
      });
      // The informer decides when to retry after a disconnect.
      await eventually(async () => {
        await Promise.resolve();
        assert.ok(lists.length > 1);
      }, 15_000).catch(() => {
        throw new CannotShow("the server still knows its first revisions");
      });
    },
  },
  {
    row: 129,
    name: "an informer that streams its initial list resumes from the bookmark",
    run: async (scene) => {
      const initial = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      const first = await scene.watch(`${scene.cms}?${initial}`);
      let from = "";
      for (let event = await first.next(); event?.type !== "BOOKMARK"; event = await first.next())
        assert.equal(event?.type, "ADDED");
      first.stop();
      const page = await scene.ok({ path: `${scene.cms}?limit=1` });
      from = text(page, "metadata", "resourceVersion");
      await scene.make("late");
      const second = await scene.watch(`${scene.cms}?${initial}&resourceVersion=${from}`);
      const seen = new Set<string>();
      for (let event = await second.next(); event?.type !== "BOOKMARK"; event = await second.next())
        seen.add(event?.object.metadata.name ?? "");
      assert.ok(seen.has("a") && seen.has("late"));
    },
  },
  {
    row: 129,
    name: "a reflector that is disconnected repeatedly resumes, and has the same objects as a list",
    run: async (scene) => {
      const reflector = new Reflector(scene.cluster.transport, scene.cms);
      for (let round = 0; round < 12; round++) {
        const cut = new AbortController();
        const connection = reflector.connect(cut.signal);
        const name = `n${round % 4}`;
        const { code } = await scene.ask({ path: `${scene.cms}/${name}` });
        if (code === 404) await scene.make(name, { data: { v: String(round) } });
        else if (round % 3 === 0) await scene.ok({ method: "DELETE", path: `${scene.cms}/${name}` });
        else await scene.merge(`${scene.cms}/${name}`, { data: { v: String(round) } });
        // Some connections are closed before they have sent anything.
        if (round % 4 !== 3) await eventually(() => Promise.resolve(assert.ok(reflector.counts.initial > 0)));
        cut.abort();
        await connection;
      }
      const end = new AbortController();
      const connection = reflector.connect(end.signal);
      const listed = itemsOf(await scene.ok({ path: scene.cms })) as unknown as readonly KubeObject[];
      await eventually(() => Promise.resolve(assert.deepEqual(reflector.held(), listed.map(lineOf).toSorted())));
      end.abort();
      await connection;
      assert.ok(reflector.counts.resumed > 5, JSON.stringify(reflector.counts));
    },
  },
];
