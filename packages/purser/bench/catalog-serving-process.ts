// A process that serves catalogs over both APIs, each after it was built: what it takes in memory is measured from outside.
// Arguments: cache directory, catalogs. Prints the addresses of each catalog as one line of JSON when all are served.
import { followCatalog } from "../src/engine/followed-catalog.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { serveRegistry } from "../src/registry-api/grpc/registry-server.ts";
import { serveCatalogs } from "../src/registry-api/http/catalog-listener.ts";
import { servedIndex } from "../src/registry-api/http/served-catalog.ts";

const [cacheDirectory = "", ...paths] = process.argv.slice(2);
const listen = { host: "127.0.0.1", port: 0 };
const stop = new AbortController();
const served: { readonly grpc: string; readonly http: string }[] = [];
for (const [index, path] of paths.entries()) {
  const name = `catalog-${index}`;
  const catalog = followCatalog({ name, from: { path }, cacheDirectory, clock: systemClock, refusal: () => undefined });
  const news = catalog.news(stop.signal);
  const first = await news.next();
  if (first.done === true || first.value.kind === "refused") throw new Error(JSON.stringify(first.value));
  const grpc = await serveRegistry({ index: () => catalog.current()?.index, clock: systemClock }, listen);
  const http = await serveCatalogs(
    {
      catalog: () => {
        const current = catalog.current();
        return current === undefined ? undefined : servedIndex(current.index, current.sinceMs);
      },
      metas: true,
      clock: systemClock,
      entropy: systemEntropy,
    },
    listen,
  );
  if (!grpc.ok || !http.ok) throw new Error("cannot listen");
  served.push({ grpc: grpc.value.address, http: `${http.value.origin}/catalogs/${name}/api/v1/all` });
}
console.log(JSON.stringify(served));
