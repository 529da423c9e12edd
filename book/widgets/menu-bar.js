// mdBook's bar moves back into view in steps while the reader scrolls up. After a jump, as to a line of an editor or to a
// heading, it would stay in the middle of the screen and cover what the reader wants to see, until the next scrolling.
(() => {
    const bar = document.getElementById("mdbook-menu-bar");
    const place = () => {
        if (bar.getBoundingClientRect().top > 0) bar.style.top = `${document.scrollingElement.scrollTop}px`;
    };
    // mdBook's own script places it in the same event.
    if (bar) document.addEventListener("scroll", () => requestAnimationFrame(place), { passive: true });
})();
