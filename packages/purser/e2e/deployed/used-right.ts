/** What one request to an API server needs to be allowed, as RBAC sees it. */
export interface UsedRight {
  readonly verb: string;
  /** "" for the core group; undefined for a path that is no resource. */
  readonly group: string | undefined;
  /** `plural`, `plural/subresource`, or the path without its query. */
  readonly resource: string;
  /** undefined: across the cluster. */
  readonly namespace: string | undefined;
}

const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };

/** The right that the API server asks its authorizer for, as `RequestInfoFactory` of Kubernetes reads a request. */
export function usedRight(method: string, target: string): UsedRight {
  const { pathname, searchParams } = new URL(target, "https://server");
  const [root, ...parts] = pathname.split("/").filter((part) => part !== "");
  const rest = root === "api" ? parts.slice(1) : root === "apis" ? parts.slice(2) : [];
  if (rest.length === 0)
    return { verb: method.toLowerCase(), group: undefined, resource: pathname, namespace: undefined };
  const isNamespaced = rest[0] === "namespaces" && rest.length > 2 && !["status", "finalize"].includes(rest[2] ?? "");
  const namespace = isNamespaced ? rest[1] : undefined;
  const [plural = "", name, subresource] = isNamespaced ? rest.slice(2) : rest;
  const reading = searchParams.get("watch") === "true" ? "watch" : name === undefined ? "list" : "get";
  const deleting = name === undefined ? "deletecollection" : "delete";
  return {
    verb: verbs[method] ?? (method === "DELETE" ? deleting : reading),
    group: root === "api" ? "" : parts[0],
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    namespace,
  };
}
