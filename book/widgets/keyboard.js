// What a reader without a mouse or without sight needs beyond mdBook's own pages.
(() => {
    // mdBook's button for the sidebar is a label that has a button's attributes but not its role.
    document.getElementById("mdbook-sidebar-toggle")?.setAttribute("role", "button");

    // Code that is wider than the screen can be scrolled with the arrow keys once it has the focus.
    const blocks = [...document.querySelectorAll("main pre > code")];
    const update = () => {
        for (const block of blocks) {
            if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
            else block.removeAttribute("tabindex");
        }
    };
    update();
    window.addEventListener("resize", update);
    document.addEventListener("toggle", update, true);
})();
