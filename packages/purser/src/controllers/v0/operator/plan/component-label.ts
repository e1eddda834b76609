import type { KubeObject } from "@purser/kubernetes/apis/object";
import { componentLabelPrefix } from "../../../../apis/v0/labels.ts";

const longest = 63;

/**
 * The name of the Operator for a package in a namespace, which is also the name part of its component label: `package.namespace`,
 * cut to what a label key may have. Undefined when nothing is left of it.
 */
export function operatorName(packageName: string, namespace: string): string | undefined {
  const whole = namespace === "" ? packageName : `${packageName}.${namespace}`;
  const name = whole.length > longest ? whole.slice(0, longest).replace(/[._-]+$/, "") : whole;
  return packageName === "" || name === "" ? undefined : name;
}

/** The key of the label, with an empty value, on everything that belongs to the Operator. */
export const componentLabel = (operator: string): string => `${componentLabelPrefix}${operator}`;

/** The Operators that an object belongs to. */
export const operatorsOf = ({ metadata }: KubeObject): readonly string[] =>
  Object.keys(metadata.labels ?? {})
    .filter((key) => key.startsWith(componentLabelPrefix))
    .map((key) => key.slice(componentLabelPrefix.length));
