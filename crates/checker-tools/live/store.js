// Where the learner's files are: in a workbook behind the server, or in this browser.
import * as browser from "./hosted.js";
import * as disk from "./server.js";

export const isHosted = document.querySelector('meta[name="workbook-store"]')?.content === "browser";
export const { connect, course, listingText, runListing } = isHosted ? browser : disk;
