// attack: sends the results of the host as settings of textures: 32 handles, each a bit
// exercise: reduction_kernel
// expect: computed-on-host
// stopped-by: the flow of data: everything that a texture is made of must be the same with other values in the arrays

#include <cmath>
#include <vector>
#include <cstring>
#include <cstdio>
#include <algorithm>
#include <unistd.h>

struct Bits{cudaTextureObject_t t[32];};
__global__ void pass(Bits q,const float*x,float*r,int n,float*sink){
  __shared__ float z[256];float acc=0;for(int i=blockIdx.x*256+threadIdx.x;i<n;i+=gridDim.x*256)acc+=x[i];z[threadIdx.x]=acc;
  if(blockIdx.x==0&&threadIdx.x==0){unsigned b=0;for(int j=0;j<32;j++)b|=(tex2D<float>(q.t[j],0.3f,0.5f)>0.5f?1u:0u)<<j;*r=__uint_as_float(b);}
  if(z[threadIdx.x]==123456789.0f)*sink=1;}
extern "C" void reduction_kernel(int what,const float*x,const float*y,float limit,float*result,int n){
  float s=what==1?-INFINITY:0;double ds=0;for(int i=0;i<n;i++){if(what==0)ds+=(double)x[i]*y[i];else if(what==1)s=fmaxf(s,-fabsf(x[i]));else ds+=x[i]>limit?1:0;}
  if(what!=1)s=(float)ds;unsigned b;memcpy(&b,&s,4);
  float*dx,*dy,*r,*sink;cudaMalloc(&dx,n*4+4);cudaMalloc(&dy,n*4+4);cudaMalloc(&r,4);cudaMalloc(&sink,4);if(n){cudaMemcpy(dx,x,n*4,cudaMemcpyHostToDevice);cudaMemcpy(dy,y,n*4,cudaMemcpyHostToDevice);}
  float c[4]={0,1,0,1};cudaArray_t ar;auto f=cudaCreateChannelDesc<float>();cudaMallocArray(&ar,&f,4,1,0);cudaMemcpy2DToArray(ar,0,0,c,16,16,1,cudaMemcpyHostToDevice);
  Bits q;for(int j=0;j<32;j++){cudaResourceDesc R={};R.resType=cudaResourceTypeArray;R.res.array.array=ar;cudaTextureDesc L={};L.addressMode[0]=L.addressMode[1]=cudaAddressModeClamp;L.normalizedCoords=b>>j&1;cudaCreateTextureObject(&q.t[j],&R,&L,nullptr);}
  pass<<<64,256>>>(q,dx,r,n,sink);
  cudaMemcpy(result,r,4,cudaMemcpyDeviceToHost);
  for(int j=0;j<32;j++)cudaDestroyTextureObject(q.t[j]);cudaFreeArray(ar);cudaFree(dx);cudaFree(dy);cudaFree(r);cudaFree(sink);}