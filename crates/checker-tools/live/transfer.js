// The part of the sidebar that takes all work out of this browser and back into it.
import { button, element } from "./element.js";
import { exercises, vault } from "./hosted.js";
import { exported, imported, replaced, unpacked } from "./workbook-zip.js";

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
    const question = element("div", { role: "alert", hidden: true });
    const say = (text) => (status.textContent = text);
    const input = element("input", { type: "file", accept: ".zip,application/zip", hidden: true });
    const finish = (contents, other, keepsMine) => {
        question.hidden = true;
        const { files, problem } = imported(vault, contents, keepsMine);
        const kept = keepsMine ? "Your texts stay, and those of the archive are" : "The texts that were replaced are";
        const where = other.length > 0 ? ` ${kept} among the earlier versions on their pages: ${other.join(", ")}.` : "";
        say(problem ?? `Imported ${count(files)} and your progress.${where}`);
        if (files) changed();
    };
    const ask = (contents, other) => {
        const texts = other.length === 1 ? "another text" : "other texts";
        question.replaceChildren(
            element("p", {}, `This browser has ${texts} of ${other.join(", ")} than the archive. The other one is kept as an earlier version in either case.`),
            button("Use the archive's", () => finish(contents, other, false)),
            " ",
            button("Keep mine", () => finish(contents, other, true)),
            " ",
            button("Cancel", () => {
                question.hidden = true;
                say("Nothing was imported.");
            }),
        );
        question.hidden = false;
        question.querySelector("button").focus();
    };
    input.addEventListener("change", async () => {
        const [file] = input.files;
        input.value = "";
        if (!file) return;
        say("");
        const all = await exercises();
        if (!all) return say(AWAY);
        const buffer = await file.arrayBuffer().catch(() => null);
        if (!buffer) return say("Nothing was imported, because the file can't be read.");
        const contents = await unpacked(all, buffer);
        if (contents.problem) return say(contents.problem);
        const other = replaced(vault, contents);
        if (other.length > 0) ask(contents, other);
        else finish(contents, other, false);
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
        question,
        status,
    );
}
