// Unfolds everything for printing, because readers cannot click on paper. Solutions stay folded, as in the text, and
// workbook.css leaves out the hints that are nearly the answer.
{
    let opened = [];
    window.addEventListener("beforeprint", () => {
        opened = [...document.querySelectorAll("details:not([open]):not(.wb-solution, .wb-spoiler)")];
        for (const details of opened) {
            details.open = true;
        }
    });
    window.addEventListener("afterprint", () => {
        for (const details of opened) {
            details.open = false;
        }
    });
}
