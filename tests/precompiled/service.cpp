// SPDX-License-Identifier: MIT
// The unit for which Meson precompiles its header.
