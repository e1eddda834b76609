/** An API family of OLM; one process may serve both or one. */
export type ApiFamily = "v0" | "v1";

export const everyFamily: readonly ApiFamily[] = ["v0", "v1"];

/** The API group of each family's kinds. */
export const groupOfFamily: Readonly<Record<ApiFamily, string>> = {
  v0: "operators.coreos.com",
  v1: "olm.operatorframework.io",
};
