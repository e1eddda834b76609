/** The CustomResourceDefinitions of OLM v1 with the fields that upstream calls experimental, or without. */
export type CrdSet = "standard" | "experimental";

export const crdSets: readonly CrdSet[] = ["standard", "experimental"];
