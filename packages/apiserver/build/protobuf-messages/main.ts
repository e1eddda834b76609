// Writes src/protobuf/messages.gen.ts from the public Kubernetes API modules:
//   node packages/apiserver/build/protobuf-messages/main.ts <directory of Go modules that holds k8s.io/api@v0.36.3 and others>
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pinnedVersion, protobufMessages } from "./messages.ts";

const [modules] = process.argv.slice(2);
if (modules === undefined) {
  console.error("usage: node packages/apiserver/build/protobuf-messages/main.ts MODULES");
  process.exit(2);
}
writeFileSync(
  resolve(import.meta.dirname, "../../src/protobuf/messages.gen.ts"),
  protobufMessages(modules, pinnedVersion),
);
