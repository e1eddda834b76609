import { keyOf } from "@purser/kubernetes/apis/object";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { isComponentOf } from "./component-watches.ts";
import { componentLabel, operatorsOf } from "./plan/component-label.ts";

/** A writer whose new objects of the CSV have its component labels from the beginning: adoption finds nothing to add. */
export function labellingComponents(writer: ObjectWriter, csv: ClusterServiceVersion): ObjectWriter {
  const labels = Object.fromEntries(operatorsOf(csv).map((operator) => [componentLabel(operator), ""]));
  return {
    write(write, signal) {
      if (write.verb !== "create" || !isComponentOf(keyOf(csv), write.type, write.object))
        return writer.write(write, signal);
      const { metadata } = write.object;
      const object = { ...write.object, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
      return writer.write({ ...write, object }, signal);
    },
  };
}
