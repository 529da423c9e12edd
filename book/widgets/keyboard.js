// What a reader without a mouse or without sight needs beyond mdBook's own pages.
(() => {
    // mdBook's button for the sidebar is a label that has a button's attributes but not its role.
    document.getElementById("mdbook-sidebar-toggle")?.setAttribute("role", "button");

    // Code and tables that are wider than the screen can be scrolled with the arrow keys once they have the focus.
    const blocks = [...document.querySelectorAll("main pre > code, main .table-wrapper")];
    const update = (block) => {
        if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
        else block.removeAttribute("tabindex");
    };
    // A block gets its size with the page, when its section is unfolded, and when the window changes; its contents get theirs
    // when the fonts are there.
    const sizes = new ResizeObserver((changed) => changed.forEach(({ target }) => update(target)));
    for (const block of blocks) {
        update(block);
        sizes.observe(block);
    }
    document.fonts?.ready.then(() => blocks.forEach(update));
})();
