// Runs one tensor-core instruction many times, on registers that come from a file and go to a file.
//
//     probe NAME COUNT INPUT OUTPUT
//
// INPUT holds the registers of A, B and C of COUNT groups of lanes (lane after lane), OUTPUT gets those of D. B of a
// wgmma and the matrix of an ldmatrix lie in shared memory as INPUT has them. The kernels, and the table PROBES, are in
// kernels.inc, which cuda_source.py writes from the catalogue. What the numbers mean is not decided here.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

// N registers of each lane, from or to memory.
template <class T, int N>
struct Registers {
    T r[N];

    static __device__ Registers load(const void* from) {
        Registers all;
        const T* mine = static_cast<const T*>(from) + (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * N;
        for (int i = 0; i < N; ++i) all.r[i] = mine[i];
        return all;
    }

    __device__ void store(void* to) const {
        T* mine = static_cast<T*>(to) + (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * N;
        for (int i = 0; i < N; ++i) mine[i] = r[i];
    }
};

// Copies the bytes of this group between global and shared memory.
__device__ void copy(char* to, const char* from, int bytes) {
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) to[i] = from[i];
    __syncthreads();
}

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// PTX ISA, "Matrix Descriptor Format": address, leading and stride byte offsets in units of 16 bytes; no swizzle.
// B's core matrices (8 columns of 16 bytes along k) lie 128 bytes apart along k and 256 along n.
__device__ uint64_t descriptor(const void* matrix) {
    return uint64_t(shared_address(matrix) >> 4) | uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
}

typedef void (*Kernel)(const char* a, const char* b, const char* c, char* d);

struct Probe {
    const char* name;
    Kernel kernel;
    int lanes;
    size_t a, b, c, d;  // bytes of a group of lanes
};

#include "kernels.inc"

static void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "probe: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

static void run(const Probe& probe, size_t count, const char* input, const char* output) {
    const size_t sizes[4] = {probe.a * count, probe.b * count, probe.c * count, probe.d * count};
    FILE* in = fopen(input, "rb");
    FILE* out = fopen(output, "wb");
    if (!in || !out) { fprintf(stderr, "probe: cannot open %s or %s\n", input, output); exit(1); }
    char* device[4];
    for (int i = 0; i < 4; ++i) {
        check(cudaMalloc(&device[i], sizes[i] + 16), "cudaMalloc");
        if (i == 3) continue;
        std::vector<char> host(sizes[i]);
        if (fread(host.data(), 1, sizes[i], in) != sizes[i]) { fprintf(stderr, "probe: %s is short\n", input); exit(1); }
        check(cudaMemcpy(device[i], host.data(), sizes[i], cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    probe.kernel<<<unsigned(count), unsigned(probe.lanes)>>>(device[0], device[1], device[2], device[3]);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), probe.name);
    std::vector<char> host(sizes[3]);
    check(cudaMemcpy(host.data(), device[3], sizes[3], cudaMemcpyDeviceToHost), "cudaMemcpy");
    fwrite(host.data(), 1, sizes[3], out);
    fclose(in);
    fclose(out);
}

int main(int count, char** arguments) {
    if (count != 5) { fprintf(stderr, "usage: probe NAME COUNT INPUT OUTPUT\n"); return 2; }
    for (const Probe& probe : PROBES) {
        if (strcmp(probe.name, arguments[1])) continue;
        run(probe, strtoull(arguments[2], nullptr, 10), arguments[3], arguments[4]);
        return 0;
    }
    fprintf(stderr, "probe: no kernel is called %s\n", arguments[1]);
    return 2;
}
