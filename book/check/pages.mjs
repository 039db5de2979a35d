// What the pages of the rendered book do in a browser: nothing may come from another host or fail
// in the console, axe finds no fault in a light and a dark theme, nothing is wider than a phone,
// and all of it can be read without JavaScript.
//
// node pages.mjs FOLDER [PAGE…]

import { createServer } from "node:http";
import { readFile, readdir } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import axe from "axe-core";
import { chromium } from "playwright-core";

const [folder, ...wanted] = process.argv.slice(2);
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
const THEMES = (process.env.THEMES ?? "light,navy").split(",");
// The page for printing repeats the others; the sidebar for readers without JavaScript is no page.
const SKIPPED = ["print.html", "toc.html", "404.html"];

const failures = [];
const server = createServer(serve).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

let pages = (await readdir(folder)).filter((file) => file.endsWith(".html") && !SKIPPED.includes(file)).sort();
if (wanted.length > 0) {
  pages = pages.filter((page) => wanted.some((start) => page.startsWith(start)));
}
for (const page of pages) {
  for (const theme of THEMES) {
    await inTheme(page, theme);
  }
  await withoutScripts(page);
}

await browser.close();
server.close();
for (const failure of failures) {
  console.log(failure);
}
console.log(`${pages.length} pages in ${THEMES.join(" and ")}: ${failures.length} failures`);
process.exit(failures.length > 0 || pages.length === 0 ? 1 : 0);

async function inTheme(name, theme) {
  const at = (what) => failures.push(`${name} (${theme}): ${what}`);
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
  await context.addInitScript((theme) => localStorage.setItem("mdbook-theme", theme), theme);
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      at(`console: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => at(`script: ${error.message}`));
  await stayHere(page, at);
  await page.goto(`${origin}/${name}`, { waitUntil: "load" });
  // What is folded must be readable, too.
  await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));

  await page.evaluate(axe.source);
  // mdBook's own bar is left out: its switch for the sidebar is a label with a role that it may not have.
  const found = await page.evaluate((tags) => {
    const scope = { include: [["body"]], exclude: [["#mdbook-menu-bar"]] };
    return axe.run(scope, { runOnly: tags, resultTypes: ["violations"] });
  }, WCAG);
  for (const violation of found.violations) {
    for (const node of violation.nodes.slice(0, 3)) {
      at(`axe: ${violation.id}: ${violation.help}: ${node.target.join(" ")}: ${node.html.slice(0, 120)}`);
    }
  }

  await page.setViewportSize({ width: 360, height: 740 });
  await narrow(page, at);
  await context.close();
}

async function withoutScripts(name) {
  const at = (what) => failures.push(`${name} (no JavaScript): ${what}`);
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await stayHere(page, at);
  await page.goto(`${origin}/${name}`, { waitUntil: "load" });
  const hidden = await page.locator("main :is(h1, h2, h3, p, pre, table, figure)").evaluateAll((parts) =>
    parts
      .filter((part) => !part.closest("details") && part.textContent.trim() !== "")
      .filter((part) => !part.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .map((part) => part.outerHTML.slice(0, 80)),
  );
  hidden.slice(0, 3).forEach((part) => at(`not visible: ${part}`));
  if ((await page.locator("main").innerText()).trim() === "") {
    at("the page is empty");
  }
  await narrow(page, at);
  await context.close();
}

// Code and tables may scroll inside, the page may not.
async function narrow(page, at) {
  const wide = await page.evaluate(() => {
    const room = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= room) {
      return [];
    }
    const scrolls = (part) => part && (getComputedStyle(part).overflowX !== "visible" || scrolls(part.parentElement));
    return [...document.querySelectorAll("main *")]
      .filter((part) => part.getBoundingClientRect().right > room + 1 && !scrolls(part.parentElement))
      .map((part) => part.outerHTML.slice(0, 80));
  });
  wide.slice(0, 3).forEach((part) => at(`wider than 360 px: ${part}`));
}

// No request leaves this machine, whatever a page asks for.
async function stayHere(page, at) {
  await page.route("**/*", (route) => {
    const url = route.request().url();
    if (url.startsWith(origin) || url.startsWith("data:")) {
      return route.continue();
    }
    at(`asks another host: ${url}`);
    return route.abort();
  });
}

async function serve(request, response) {
  const path = normalize(decodeURIComponent(new URL(request.url, "http://here").pathname));
  const types = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };
  try {
    const body = await readFile(join(folder, path));
    response.writeHead(200, { "Content-Type": types[extname(path)] ?? "application/octet-stream" });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}
