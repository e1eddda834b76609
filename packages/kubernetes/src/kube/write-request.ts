import { asJson, keyOf } from "../apis/object.ts";
import type { ObjectWrite } from "../apis/object-write.ts";
import { resourcePath } from "../apis/resource-type.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { ApiRequest } from "./transport.ts";

const patchContentType = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

/** The HTTP request for `write`. */
export function writeRequest(write: ObjectWrite): ApiRequest {
  switch (write.verb) {
    case "create": {
      const { namespace } = write.object.metadata;
      const path = resourcePath(write.type, namespace === undefined ? {} : { namespace });
      return request("POST", path, "application/json", asJson(write.object), {
        fieldManager: write.fieldManager,
        dryRun: write.dryRun === true ? "All" : undefined,
      });
    }
    case "replace":
      return request(
        "PUT",
        resourcePath(write.type, keyOf(write.object), write.subresource),
        "application/json",
        asJson(write.object),
        { fieldManager: write.fieldManager },
      );
    case "apply":
      return request(
        "PATCH",
        resourcePath(write.type, keyOf(write.object), write.subresource),
        "application/apply-patch+yaml",
        asJson(write.object),
        {
          fieldManager: write.fieldManager,
          force: write.force ? "true" : undefined,
          dryRun: write.dryRun === true ? "All" : undefined,
        },
      );
    case "patch":
      return request(
        "PATCH",
        resourcePath(write.type, write.key, write.subresource),
        patchContentType[write.patchType],
        write.patch,
        { fieldManager: write.fieldManager },
      );
    case "delete":
      return request("DELETE", resourcePath(write.type, write.key), "application/json", deleteOptions(write), {});
  }
}

function deleteOptions(write: Extract<ObjectWrite, { verb: "delete" }>): JsonObject {
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    ...(write.propagation === undefined ? {} : { propagationPolicy: write.propagation }),
    ...(write.preconditions === undefined ? {} : { preconditions: { ...write.preconditions } }),
  };
}

function request(
  method: ApiRequest["method"],
  path: string,
  contentType: string,
  body: JsonValue,
  parameters: Readonly<Record<string, string | undefined>>,
): ApiRequest {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return {
    method,
    path,
    ...(query.size === 0 ? {} : { query }),
    headers: { "content-type": contentType },
    body: { kind: "object", value: body },
  };
}
