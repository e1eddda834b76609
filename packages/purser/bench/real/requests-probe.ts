// Loaded into the measured process with `--import`: SIGUSR2 prints which requests it has sent since the last time.
import { subscribe } from "node:diagnostics_channel";

const sent = new Map<string, number>();

subscribe("http.client.request.start", (message) => {
  const { method, path } = (message as { readonly request: { readonly method: string; readonly path: string } })
    .request;
  const name = nameOf(method, path);
  sent.set(name, (sent.get(name) ?? 0) + 1);
});

/** `PATCH clusterextensions/status`, `POST secrets (dry run)`, `watch namespaces`. */
function nameOf(method: string, path: string): string {
  const url = new URL(path, "https://cluster");
  const parts = url.pathname.split("/").filter((part) => part !== "");
  const [root] = parts;
  if (root !== "api" && root !== "apis") return `${method} ${url.pathname}`;
  const inVersion = parts.slice(root === "api" ? 2 : 3);
  const resource = inVersion[0] === "namespaces" && inVersion.length > 2 ? inVersion.slice(2) : inVersion;
  if (resource.length === 0) return `${method} discovery`;
  const [plural = "", name, subresource] = resource;
  const verb =
    url.searchParams.get("watch") === "true" ? "watch" : method === "GET" && name === undefined ? "list" : method;
  const target = subresource === undefined ? plural : `${plural}/${subresource}`;
  return `${verb} ${target}${url.searchParams.has("dryRun") ? " (dry run)" : ""}`;
}

process.on("SIGUSR2", () => {
  process.stderr.write(`requests ${JSON.stringify(Object.fromEntries(sent))}\n`);
  sent.clear();
});
