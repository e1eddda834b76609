import type { ApiStatus } from "../../apis/object-write.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import type { Result } from "../../result.ts";
import type { Call } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Body } from "../request/body.ts";
import { bodyBytes, readBody } from "../request/body.ts";
import type { ProtobufDecoders } from "../protobuf/decoders.ts";
import { badRequest } from "../request/refusal.ts";
import type { DeleteOptions } from "./delete-options.ts";
import { deleteOptions } from "./delete-options.ts";
/** The options of a DELETE: in its body, which may be missing, or in its query. */
export async function readDeletion(
  protobuf: ProtobufDecoders,
  kind: ServedKind,
  request: ApiRequest,
  call: Call,
): Promise<Result<DeleteOptions, ApiStatus>> {
  let body: Body | undefined;
  if (request.body?.kind === "object") body = { value: request.body.value, duplicates: [] };
  else if (request.body !== undefined) {
    const bytes = await bodyBytes(request);
    if (!bytes.ok) return bytes;
    if (bytes.value.length > 0) {
      const read = await readBody(
        { ...request, body: { kind: "bytes", bytes: bytes.value } },
        "DeleteOptions",
        protobuf.deleteOptions,
      );
      if (!read.ok) {
        const [, why] =
          /^the object provided is unrecognized \(must be of type DeleteOptions\): (.*) \(.*\)$/s.exec(
            read.problem.message,
          ) ?? [];
        return why === undefined ? read : badRequest(why);
      }
      body = read.value;
    }
  }
  const options = deleteOptions(call.query, body);
  if (kind.table === "jobs.batch" && options.ok && options.value.propagation === undefined)
    call.warnings.add(
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    );
  return options;
}
