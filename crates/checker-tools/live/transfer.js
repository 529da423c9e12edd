// The part of the sidebar that takes all work out of this browser and back into it.
import { button, element } from "./element.js";
import { exercises, vault } from "./hosted.js";
import { exported, imported } from "./workbook-zip.js";

const AWAY = "The server can't be reached, so try again in a moment.";

function download(blob) {
    const link = element("a", { href: URL.createObjectURL(blob), download: "cuda-workbook.zip" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function count(files) {
    return files.length === 1 ? "one file" : `${files.length} files`;
}

export function transfer(changed) {
    const status = element("p", { role: "status", class: "wb-transfer-state" });
    const say = (text) => (status.textContent = text);
    const input = element("input", { type: "file", accept: ".zip,application/zip", hidden: true });
    input.addEventListener("change", async () => {
        const [file] = input.files;
        input.value = "";
        if (!file) return;
        const all = await exercises();
        if (!all) return say(AWAY);
        const buffer = await file.arrayBuffer().catch(() => null);
        if (!buffer) return say("Nothing was imported, because the file can't be read.");
        const { files, problem } = await imported(vault, all, buffer);
        say(problem ?? `Imported ${count(files)}. Texts that were replaced are kept as copies.`);
        if (files) changed();
    });
    const take = async () => {
        const all = await exercises();
        if (!all) return say(AWAY);
        download(exported(vault, all));
        say("The archive contains all your files. You can submit it, or import it in another browser.");
    };
    return element(
        "div",
        { class: "wb-transfer" },
        element("p", {}, "Your files are in this browser only."),
        element("p", { class: "wb-buttons" }, button("Export", take), " ", button("Import", () => input.click())),
        input,
        status,
    );
}
