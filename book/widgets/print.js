// What is folded on the screen is open on paper: nobody can click there. Solutions stay folded, as in the text.
{
    let opened = [];
    window.addEventListener("beforeprint", () => {
        opened = [...document.querySelectorAll("details:not([open]):not(.wb-solution)")];
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
