// Makes the template of the page: script, style and licences in one HTML file, with a place left for
// the data; and that file as C++, to be compiled into the command.
//
//     node build.mjs FOLDER       with FOLDER/node_modules as package-lock.json has it
//
// Writes FOLDER/template.html, FOLDER/page_template.cpp and, for `node --test`, FOLDER/test/*.mjs.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const source = path.dirname(fileURLToPath(import.meta.url));
const folder = path.resolve(process.argv[2]);
const { build } = createRequire(path.join(folder, "package.json"))("esbuild");

const common = {
  bundle: true,
  nodePaths: [path.join(folder, "node_modules")],
  absWorkingDir: folder,
  logLevel: "warning",
};

// The licence of every package that is in the bundle; those that share a text share a paragraph.
function licences(inputs) {
  const found = new Map();
  for (const input of Object.keys(inputs).sort()) {
    const match = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(input);
    if (match !== null) found.set(match[2], path.join(folder, match[1]));
  }
  const texts = new Map();
  for (const [name, at] of found) {
    const file = readdirSync(at).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file; it must not be embedded`);
    const { version } = JSON.parse(readFileSync(path.join(at, "package.json"), "utf8"));
    const text = readFileSync(path.join(at, file), "utf8").trim();
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
  }
  return [...texts].map(([text, names]) => `${names.join(", ")}\n\n${text}`).join("\n\n\n");
}

function escapeHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

async function makeTemplate() {
  const script = await build({
    ...common,
    entryPoints: [path.join(source, "src/main.ts")],
    format: "iife",
    target: "es2022",
    minify: true,
    charset: "ascii",
    legalComments: "none", // the licences stand in the page, in full
    write: false,
    metafile: true,
  });
  const style = await build({
    ...common,
    entryPoints: [path.join(source, "page.css")],
    minify: true,
    write: false,
  });
  const parts = {
    STYLE: style.outputFiles[0].text.trim(),
    // esbuild writes "</script" of strings as "<\/script", so it cannot end the element.
    SCRIPT: script.outputFiles[0].text.trim(),
    LICENCES: escapeHtml(licences(script.metafile.inputs)),
    DATA: "{{DATA}}",
  };
  const skeleton = readFileSync(path.join(source, "page.html"), "utf8");
  return skeleton.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
}

// Every byte that means something to a compiler is written in octal, which always has three digits;
// two question marks would begin a trigraph.
function literal(bytes) {
  let text = "";
  for (const byte of bytes) {
    const plain = byte >= 0x20 && byte < 0x7f && ![0x22, 0x3f, 0x5c].includes(byte);
    text += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
  }
  return `"${text}"`;
}

// Long literals are beyond what compilers must accept, so it is several.
function makeSource(template) {
  const bytes = Buffer.from(template, "utf8");
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 8192) {
    const piece = bytes.subarray(at, at + 8192);
    pieces.push(`    std::string_view(${literal(piece)}, ${piece.length}),`);
  }
  return [
    "// Made from page/ by page/build.mjs.",
    '#include "report/page.hpp"',
    "",
    "namespace railyard::report {",
    "",
    "std::span<const std::string_view> page_template() {",
    `    static constexpr std::string_view pieces[] = {`,
    ...pieces,
    "    };",
    "    return pieces;",
    "}",
    "",
    "}  // namespace railyard::report",
    "",
  ].join("\n");
}

async function makeTests() {
  const tests = readdirSync(path.join(source, "test")).filter((name) => name.endsWith(".test.ts"));
  mkdirSync(path.join(folder, "test"), { recursive: true });
  await build({
    ...common,
    entryPoints: tests.map((name) => path.join(source, "test", name)),
    outdir: path.join(folder, "test"),
    outExtension: { ".js": ".mjs" },
    platform: "node",
    format: "esm",
  });
}

const template = await makeTemplate();
writeFileSync(path.join(folder, "template.html"), template);
writeFileSync(path.join(folder, "page_template.cpp"), makeSource(template));
await makeTests();
