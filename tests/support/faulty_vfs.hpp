// A disk for SQLite that goes wrong where a test wants it to: a VFS around the system's own, which
// every connection of the program uses from then on.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <string_view>

namespace support {

enum class disk_fault : std::uint8_t {
    full,         ///< ENOSPC: nothing is written, nothing grows
    short_write,  ///< half of it is written, then ENOSPC
    broken,       ///< EIO at any call
    not_synced,   ///< EIO at fsync
};

/// What goes wrong at which call. One for the program, as SQLite has one list of VFSs.
class faulty_disk {
public:
    /// The `at`th call that can fail like this does, counted from 1 and from now on: only that one,
    /// or that one and all after it until `heal`.
    void fail_at(std::uint64_t at, disk_fault how, bool is_lasting) {
        const std::scoped_lock lock{mutex_};
        at_ = at;
        how_ = how;
        is_lasting_ = is_lasting;
        calls_ = failures_ = 0;
    }
    void heal() {
        const std::scoped_lock lock{mutex_};
        at_ = never;
    }
    /// How many calls could have failed, and how many did.
    [[nodiscard]] std::uint64_t calls() const { return locked(calls_); }
    [[nodiscard]] std::uint64_t failures() const { return locked(failures_); }

    struct verdict {
        bool fails = false;
        bool is_half_done = false;
        int code = SQLITE_OK;
    };

    /// `grows` is said of calls that need room on the disk.
    verdict judge(int code, bool grows) {
        const std::scoped_lock lock{mutex_};
        switch (how_) {
            case disk_fault::full:
                if (!grows) return {};
                if (code == SQLITE_IOERR_WRITE) code = SQLITE_FULL;
                break;
            case disk_fault::short_write:
                if (code != SQLITE_IOERR_WRITE) return {};
                code = SQLITE_FULL;
                break;
            case disk_fault::broken:
                break;
            case disk_fault::not_synced:
                if (code != SQLITE_IOERR_FSYNC) return {};
                break;
        }
        ++calls_;
        if (is_lasting_ ? calls_ < at_ : calls_ != at_) return {};
        ++failures_;
        return {.fails = true, .is_half_done = how_ == disk_fault::short_write, .code = code};
    }

private:
    static constexpr auto never = std::numeric_limits<std::uint64_t>::max();

    [[nodiscard]] std::uint64_t locked(const std::uint64_t& value) const {
        const std::scoped_lock lock{mutex_};
        return value;
    }

    mutable std::mutex mutex_;
    std::uint64_t at_ = never, calls_ = 0, failures_ = 0;
    disk_fault how_ = disk_fault::full;
    bool is_lasting_ = false;
};

namespace detail {

/// In front of the file of the system's VFS, in one piece of memory that SQLite has asked for.
struct faulty_file {
    sqlite3_file base{};
    faulty_disk* disk = nullptr;

    static faulty_file& of(sqlite3_file* file) { return *reinterpret_cast<faulty_file*>(file); }
    static sqlite3_file* real(sqlite3_file* file) {
        return reinterpret_cast<sqlite3_file*>(&of(file) + 1);
    }

    /// The call, unless it is to fail.
    template <typename Call, typename... Args>
    static int make(sqlite3_file* file, int code, bool grows, Call call, Args... args) {
        const auto verdict = of(file).disk->judge(code, grows);
        if (verdict.fails) return verdict.code;
        return (real(file)->pMethods->*call)(real(file), args...);
    }

    static int close(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }
    static int read(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
        return make(file, SQLITE_IOERR_READ, false, &sqlite3_io_methods::xRead, into, size, offset);
    }
    static int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
        const auto& calls = *real(file)->pMethods;
        const auto verdict = of(file).disk->judge(SQLITE_IOERR_WRITE, true);
        if (!verdict.fails) return calls.xWrite(real(file), from, size, offset);
        if (verdict.is_half_done) (void)calls.xWrite(real(file), from, size / 2, offset);
        return verdict.code;
    }
    static int truncate(sqlite3_file* file, sqlite3_int64 size) {
        return make(file, SQLITE_IOERR_TRUNCATE, false, &sqlite3_io_methods::xTruncate, size);
    }
    /// Nothing waits for a real disk: no test pulls the plug.
    static int sync(sqlite3_file* file, int) {
        return of(file).disk->judge(SQLITE_IOERR_FSYNC, false).code;
    }
    static int file_size(sqlite3_file* file, sqlite3_int64* size) {
        return make(file, SQLITE_IOERR_FSTAT, false, &sqlite3_io_methods::xFileSize, size);
    }
    static int lock(sqlite3_file* file, int kind) {
        return make(file, SQLITE_IOERR_LOCK, false, &sqlite3_io_methods::xLock, kind);
    }
    static int unlock(sqlite3_file* file, int kind) {
        return real(file)->pMethods->xUnlock(real(file), kind);
    }
    static int check_lock(sqlite3_file* file, int* is_locked) {
        return make(file, SQLITE_IOERR_CHECKRESERVEDLOCK, false,
                    &sqlite3_io_methods::xCheckReservedLock, is_locked);
    }
    static int control(sqlite3_file* file, int code, void* argument) {
        return real(file)->pMethods->xFileControl(real(file), code, argument);
    }
    static int sector_size(sqlite3_file* file) {
        return real(file)->pMethods->xSectorSize(real(file));
    }
    static int characteristics(sqlite3_file* file) {
        return real(file)->pMethods->xDeviceCharacteristics(real(file));
    }
    static int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** at) {
        return make(file, SQLITE_IOERR_SHMMAP, extend != 0, &sqlite3_io_methods::xShmMap, page,
                    size, extend, at);
    }
    static int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
        if ((flags & SQLITE_SHM_UNLOCK) != 0)
            return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
        return make(file, SQLITE_IOERR_SHMLOCK, false, &sqlite3_io_methods::xShmLock, offset, count,
                    flags);
    }
    static void shm_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
    static int shm_unmap(sqlite3_file* file, int is_deleted) {
        return real(file)->pMethods->xShmUnmap(real(file), is_deleted);
    }

    /// Version 2: no memory-mapped reads, which would not pass through here.
    static constexpr sqlite3_io_methods methods{.iVersion = 2,
                                                .xClose = close,
                                                .xRead = read,
                                                .xWrite = write,
                                                .xTruncate = truncate,
                                                .xSync = sync,
                                                .xFileSize = file_size,
                                                .xLock = lock,
                                                .xUnlock = unlock,
                                                .xCheckReservedLock = check_lock,
                                                .xFileControl = control,
                                                .xSectorSize = sector_size,
                                                .xDeviceCharacteristics = characteristics,
                                                .xShmMap = shm_map,
                                                .xShmLock = shm_lock,
                                                .xShmBarrier = shm_barrier,
                                                .xShmUnmap = shm_unmap,
                                                .xFetch = nullptr,
                                                .xUnfetch = nullptr};
};

}  // namespace detail

/// The disk of this program's databases.
inline faulty_disk& install_faulty_disk() {
    using detail::faulty_file;
    static faulty_disk disk;
    static sqlite3_vfs* const real = sqlite3_vfs_find(nullptr);
    static sqlite3_vfs shim = [] {
        sqlite3_vfs made = *real;  // what is not replaced works on the real one's data
        made.pNext = nullptr;
        made.zName = "faulty";
        made.szOsFile = static_cast<int>(sizeof(faulty_file)) + real->szOsFile;
        made.xOpen = [](sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags,
                        int* given) {
            auto* const made = new (file) faulty_file{.base = {}, .disk = &disk};
            const auto verdict = disk.judge(SQLITE_CANTOPEN, false);
            if (verdict.fails) return verdict.code;
            const int code = real->xOpen(real, name, faulty_file::real(file), flags, given);
            if (faulty_file::real(file)->pMethods != nullptr)
                made->base.pMethods = &faulty_file::methods;
            return code;
        };
        made.xDelete = [](sqlite3_vfs*, const char* name, int sync) {
            const auto verdict = disk.judge(SQLITE_IOERR_DELETE, false);
            return verdict.fails ? verdict.code : real->xDelete(real, name, sync);
        };
        made.xAccess = [](sqlite3_vfs*, const char* name, int flags, int* answer) {
            const auto verdict = disk.judge(SQLITE_IOERR_ACCESS, false);
            return verdict.fails ? verdict.code : real->xAccess(real, name, flags, answer);
        };
        return made;
    }();
    static const int registered = sqlite3_vfs_register(&shim, 1);
    (void)registered;
    return disk;
}

}  // namespace support
