import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, parseKey } from "@purser/kubernetes/apis/object";
import { endpoints, services } from "@purser/kubernetes/apis/resources";
import { hasMember, objectIn } from "../../kinds/decoding/json-parts.ts";
import { record } from "../recorder.ts";
import { ownKey, type BuiltInController, type Pass } from "../runtime.ts";
import { turns } from "../../turns.ts";
import { mirrorOf, type Mirror } from "./mirrored-slices.ts";
import { removeSlices, slicesOfManager, sliceWatch, writeSlices } from "./slices.ts";

const manager = "endpointslicemirroring-controller.k8s.io";
const component = "endpoint-slice-mirroring-controller";
const trigger = "endpoints.kubernetes.io/last-change-trigger-time";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

function isMirrored(held: KubeObject): boolean {
  const { labels = {}, annotations = {} } = held.metadata;
  return (
    labels["endpointslice.kubernetes.io/skip-mirror"] !== "true" &&
    annotations["control-plane.alpha.kubernetes.io/leader"] === undefined
  );
}

async function warn(pass: Pass, held: KubeObject, { invalid, tooMany }: Mirror): Promise<void> {
  const say = (reason: string, message: string): Promise<void> =>
    record(pass, held, { component, type: "Warning", reason, message });
  if (invalid > 0)
    await say("InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
  if (tooMany > 0)
    await say(
      "TooManyAddressesToMirror",
      `A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. ${invalid + tooMany} addresses were skipped`,
    );
}

/** Mirrors custom Endpoints (of Services without a selector) to EndpointSlices. */
export const endpointSliceMirroringController: BuiltInController = {
  name: "endpointslicemirroring-controller",
  watches: [{ table: "services", keys: ownKey }, { table: "endpoints", keys: ownKey }, sliceWatch],
  reconcile: async (key, pass) => {
    const held = pass.get(endpoints, parseKey(key));
    const service = pass.get(services, parseKey(key));
    const mine = slicesOfManager(pass, key, manager);
    const isSelecting = service !== undefined && hasMember(objectIn(asJson(service), "spec"), "selector");
    if (held === undefined || service === undefined || isSelecting || !isMirrored(held)) {
      await removeSlices(pass, mine);
      return undefined;
    }
    const mirror = await turns.through(mirrorOf(asJson(held)));
    const annotations = Object.fromEntries(
      Object.entries(held.metadata.annotations ?? {}).filter(([name]) => name !== trigger && name !== lastApplied),
    );
    await warn(pass, held, mirror);
    const frame = {
      owner: held,
      manager,
      labels: held.metadata.labels ?? {},
      annotationsOf: () => (Object.keys(annotations).length === 0 ? {} : { annotations }),
      comparesAnnotations: true,
    };
    if (held.metadata.deletionTimestamp === undefined || mine.length > 0)
      await writeSlices(pass, frame, mine, mirror.slices);
    return undefined;
  },
};
